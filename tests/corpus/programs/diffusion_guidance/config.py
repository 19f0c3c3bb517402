"""What a run is configured by."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    steps: int = 14
    batch_size: int = 8
    width: int = 24
    classes: int = 5
    timesteps: int = 100
    # How often the label is withheld, for classifier-free guidance.
    p_uncond: float = 0.3
    p_self_condition: float = 0.5
    ema_decay: float = 0.9
    lr: float = 2e-3
