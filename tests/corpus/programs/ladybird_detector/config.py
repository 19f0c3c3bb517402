from dataclasses import dataclass, field


@dataclass
class Backbone:
    freeze_at: int = 2
    unfreeze_iter: int = 8
    channels: tuple[int, ...] = (8, 16, 24)


@dataclass
class Heads:
    num_classes: int = 3
    anchor_size: float = 10.0
    box_weight: float = 2.0
    smooth_l1_beta: float = 1.0


@dataclass
class Dynamic:
    """Statistics of the proposals by which the training is made harder."""

    period: int = 5
    top_k: int = 4
    initial_iou: float = 0.2
    max_beta: float = 1.0


@dataclass
class Solver:
    base_lr: float = 0.02
    momentum: float = 0.9
    warmup_iters: int = 6
    max_iter: int = 20
    ims_per_batch: int = 4


@dataclass
class Config:
    backbone: Backbone = field(default_factory=Backbone)
    heads: Heads = field(default_factory=Heads)
    dynamic: Dynamic = field(default_factory=Dynamic)
    solver: Solver = field(default_factory=Solver)
    image_size: int = 48
    seed: int = 3
