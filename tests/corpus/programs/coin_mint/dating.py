"""Dates a coin, and adds up the losses of its crops."""

import torch
from torch import nn


class Dater(nn.Module):
    def __init__(self, pixels=25, width=18):
        super().__init__()
        self.see = nn.Linear(pixels, width)
        self.date = nn.Bilinear(width, width, 1)

    def forward(self, crop):
        hidden = torch.tanh(self.see(crop))
        return self.date(hidden, hidden).squeeze(1)


class Accumulator:
    """Adds the loss of each crop to what came before."""

    def __init__(self, dater):
        self.dater = dater
        self.add = torch.compile(self._add, backend="eager")

    def _add(self, total, crop, year, weight):
        error = (self.dater(crop) - year).square()
        return total + weight * error.mean()

    def over(self, crops, year):
        total = 0.0
        for crop in crops:
            total = self.add(total, crop, year, 0.5)
        return total
