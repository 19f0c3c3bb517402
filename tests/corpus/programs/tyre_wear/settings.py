from dataclasses import dataclass, field


@dataclass(frozen=True)
class Optim:
    lr: float = 1e-2
    momentum: float = 0.9
    warmup: int = 4


@dataclass(frozen=True)
class Settings:
    laps: int = 40
    batch: int = 10
    epochs: int = 3
    aux_every: int = 3
    optim: Optim = field(default_factory=Optim)
