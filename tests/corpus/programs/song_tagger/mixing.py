"""Mixes songs with one another."""

import random
from dataclasses import dataclass, field


@dataclass
class Mixup:
    alpha: float = 0.4
    rng: random.Random = field(default_factory=lambda: random.Random(2))

    @property
    def share(self):
        return self.rng.betavariate(self.alpha, self.alpha)
