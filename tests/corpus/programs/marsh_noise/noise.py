"""Noise that becomes weaker while training."""

from dataclasses import dataclass


class Clock:
    """How far training is, for whom it concerns."""

    step = 0

    @classmethod
    def tick(cls):
        Clock.step += 1


@dataclass
class Noise:
    start: float = 0.5
    halved_every: int = 4

    @property
    def strength(self):
        return self.start * 0.5 ** (Clock.step // self.halved_every)
