"""A tracker with an auxiliary head that is always there, and counts for less and less."""

import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, size=10, width=24):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(size * size, width), nn.LeakyReLU(0.05))
        self.start, self.slope = nn.Linear(width, 2), nn.Linear(width, 2)
        self.calls = 0

    def forward(self, picture):
        self.calls += 1
        hidden = self.body(picture)
        return torch.cat([self.start(hidden), self.slope(hidden)], 1), self.slope(hidden.tanh())


def objective(guess, aside, track, weight):
    main = nn.functional.huber_loss(guess, track, delta=0.5)
    return main + weight * (aside - track[:, 2:]).abs().mean()
