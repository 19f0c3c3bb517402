"""How recordings are changed while training."""

from dataclasses import dataclass


@dataclass
class Augmentation:
    jitter: float = 0.0
    masked: float = 0.1
    drift: float = 0.05

    def advance(self, progress):
        self.jitter = 0.5 * progress
        self.drift = 0.05 + 0.2 * progress**2
