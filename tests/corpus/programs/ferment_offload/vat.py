"""Sugar, acid and temperature of a vat, hour by hour."""

import torch
from torch import nn


class Fermentation(nn.Module):
    """One step of an explicit solver per hour, with a learned rate of change."""

    def __init__(self, hours, width=10):
        super().__init__()
        self.hours = hours
        self.rate = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 3))

    def forward(self, state):
        for _ in range(self.hours):
            state = state + 0.2 * self.rate(state)
        return state


def vats(count, batch=8):
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        start = torch.rand(batch, 3, generator=generator)
        yield start, start * torch.tensor([0.3, 1.4, 1.1])
