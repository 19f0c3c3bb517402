"""A config node in the manner of yacs, and registries."""

import copy


class CfgNode(dict):
    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError as missing:
            raise AttributeError(key) from missing

    def __setattr__(self, key, value):
        self[key] = value

    def clone(self):
        return copy.deepcopy(self)

    def merge_from_list(self, pairs):
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            node = self
            *path, leaf = key.split(".")
            for part in path:
                node = node[part]
            node[leaf] = type(node[leaf])(value)


class Registry:
    def __init__(self, name):
        self.name, self._found = name, {}

    def register(self):
        def deco(obj):
            self._found[obj.__name__] = obj
            return obj

        return deco

    def get(self, name):
        return self._found[name]


_C = CfgNode(
    MODEL=CfgNode(META_ARCH="CavernSegmenter", HEAD="EdgeHead", WIDTH=8, CLASSES=3),
    INPUT=CfgNode(SCALES=[24, 32, 40], SIZE=32),
    SOLVER=CfgNode(BASE_LR=0.05, MAX_ITER=24, STEPS=(16, 22), IMS_PER_BATCH=4),
    EDGE=CfgNode(FROM=4.0, TO=1.0, EVERY=6),
    TEST=CfgNode(EVAL_PERIOD=12, IMAGES=8),
    SEED=4,
)


def get_cfg():
    return _C.clone()
