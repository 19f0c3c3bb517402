"""How far to look ahead, by epoch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Curriculum:
    first: int = 2
    every: int = 1
    step: int = 2
    last: int = 10

    def horizon(self, epoch):
        return min(self.last, self.first + self.step * (epoch // self.every))
