"""A network that starts out soft and gets sharp."""

import torch
from torch import nn


class Annealed(nn.Module):
    """Base of modules with a temperature that cools."""

    def __init__(self, start, rate):
        super().__init__()
        self.temperature, self.rate = start, rate

    def cool(self):
        self.temperature *= self.rate


class Router(Annealed):
    def __init__(self, heights=5, width=16, start=2.0, rate=0.7):
        super().__init__(start, rate)
        self.mix = nn.Linear(3 * heights, width)
        self.height = nn.Linear(width, heights)
        self.drift = nn.Linear(width, 2)

    def forward(self, wind, plan):
        hidden = torch.relu(self.mix(torch.cat([wind.flatten(1), plan], -1)))
        chosen = (self.height(hidden) / self.temperature).softmax(-1)
        return torch.einsum("bhd,bh->bd", wind, chosen) + self.drift(hidden)
