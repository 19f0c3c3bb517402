"""A pedal board: effects one after another."""

import torch
from effects import EFFECTS


class Board:
    def __init__(self, level=0.8):
        self.level = level
        self.run = torch.compile(self.chained, backend="eager")

    def chained(self, signal, names):
        for name in names:
            signal = EFFECTS[name](signal)
        return self.level * signal / signal.abs().amax(dim=-1, keepdim=True)

    def play(self, signal, names):
        unknown = set(names) - set(EFFECTS)
        if unknown:
            raise ValueError(f"no such effect: {', '.join(sorted(unknown))}")
        return self.run(signal, names)
