"""Values that change over a run, by what they are called."""

import math
from collections.abc import Callable

Curve = Callable[[float], float]

CURVES: dict[str, Curve] = {
    "flat": lambda done: 1.0,
    "linear": lambda done: 1.0 - done,
    "cosine": lambda done: 0.5 * (1 + math.cos(math.pi * done)),
}


class Value:
    def __init__(self, first, last=None, curve="flat"):
        self.first, self.last = first, first if last is None else last
        self.curve = CURVES[curve]

    def at(self, done):
        share = self.curve(done)
        return share * self.first + (1 - share) * self.last
