"""Everything that can be set."""

from dataclasses import dataclass


@dataclass
class Settings:
    updates: int = 4
    horizon: int = 200
    minibatch: int = 64
    passes: int = 2
    discount: float = 0.97
    smoothing: float = 0.9
    clip: float = 0.2
    entropy: float = 0.02
    done: int = 0

    @property
    def remaining(self):
        return 1.0 - self.done / self.updates

    @property
    def clip_now(self):
        return self.clip * self.remaining

    @property
    def entropy_now(self):
        return self.entropy * self.remaining
