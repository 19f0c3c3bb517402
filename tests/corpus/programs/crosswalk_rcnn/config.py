class CfgNode(dict):
    """A dict whose keys are attributes too."""

    def __getattr__(self, name):
        return self[name]


def get_cfg():
    cfg = CfgNode()
    cfg.MODEL = CfgNode(NUM_CLASSES=3, POOLED=12, FC_DIM=24, COMPILE_BACKEND="aot_eager")
    cfg.DATA = CfgNode(BATCH_SIZE_PER_IMAGE=16, IMS_PER_BATCH=2, POSITIVE_FRACTION=0.25)
    cfg.SOLVER = CfgNode(BASE_LR=0.02, MAX_ITER=12, WARMUP_ITERS=4, WEIGHT_DECAY=1e-4)
    cfg.PERIOD, cfg.SEED = 4, 21
    return cfg
