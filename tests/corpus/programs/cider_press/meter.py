"""Running figures, kept as tensors on whatever device the model has."""

import torch


class Meter:
    def __init__(self, names):
        self.sums = {name: torch.zeros(()) for name in names}
        self.count = torch.zeros(())

    def add(self, **values):
        for name, value in values.items():
            self.sums[name] += value.detach()
        self.count += 1

    def report(self):
        return {name: round((total / self.count).item(), 3) for name, total in self.sums.items()}
