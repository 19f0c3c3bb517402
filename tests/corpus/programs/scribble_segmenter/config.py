"""What a run is made of."""

from dataclasses import dataclass, field


@dataclass
class Supervision:
    every: int = 3
    weight: float = 0.4

    def wanted(self, step):
        return step % self.every != self.every - 1


@dataclass
class Config:
    classes: int = 3
    width: int = 6
    steps: int = 9
    lr: float = 0.02
    deep: Supervision = field(default_factory=Supervision)
