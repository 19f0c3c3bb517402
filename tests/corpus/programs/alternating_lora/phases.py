"""The two halves of the adapters are trained by turns."""

from dataclasses import dataclass, field
from itertools import cycle

from lora import halves


@dataclass
class Alternation:
    period: int = 3
    order: tuple = ("down", "up")
    active: str = field(default="", init=False)

    def phases(self, rounds):
        turns = cycle(self.order)
        for _ in range(rounds):
            yield next(turns)

    def enter(self, model, phase):
        self.active = phase
        for which in self.order:
            for parameter in halves(model, which):
                parameter.requires_grad_(which == phase)
