"""Plain training of a detector."""

import torch
from loop import PeriodicWriter, SimpleTrainer, WarmupScheduler
from plates import SIZE, build_detection_train_loader
from retina import RetinaLite, losses

CFG = {
    "SEED": 8,
    "SOLVER": {"IMS_PER_BATCH": 2, "BASE_LR": 0.02, "MAX_ITER": 14, "WARMUP_ITERS": 4},
    "MODEL": {"PIXEL_MEAN": 0.1, "PIXEL_STD": 0.4},
}


def preprocess(batched_inputs):
    images = torch.stack([one["image"] for one in batched_inputs])
    images = (images - CFG["MODEL"]["PIXEL_MEAN"]) / CFG["MODEL"]["PIXEL_STD"]
    gt_boxes = [one["instances"].boxes for one in batched_inputs]
    gt_classes = [one["instances"].classes for one in batched_inputs]
    return images, gt_boxes, gt_classes


def main(cfg):
    torch.manual_seed(cfg["SEED"])
    solver = cfg["SOLVER"]
    model = RetinaLite(SIZE)
    optimizer = torch.optim.SGD(model.parameters(), lr=solver["BASE_LR"], momentum=0.9)
    trainer = SimpleTrainer(
        model,
        torch.compile(losses, backend="eager"),
        build_detection_train_loader(solver["IMS_PER_BATCH"], cfg["SEED"]),
        optimizer,
        preprocess,
    )
    trainer.register_hooks([WarmupScheduler(optimizer, solver["WARMUP_ITERS"]), PeriodicWriter(5)])
    trainer.train(solver["MAX_ITER"])


if __name__ == "__main__":
    main(CFG)
