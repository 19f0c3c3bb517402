from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    features: int = 4
    hidden: int = 24
    window: int = 12
    max_horizon: int = 8
    start_horizon: int = 2
    batch_size: int = 16
    epochs: int = 4
    teacher_ratio: float = 0.7
    lr: float = 5e-3
    seed: int = 31
