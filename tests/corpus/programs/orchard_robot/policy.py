"""Moves the arm towards an apple, some moves at a time."""

import torch
from arm import hand
from torch import nn


class Reach(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, width), nn.Tanh(), nn.Linear(width, 3))

    def forward(self, apple, angles, moves):
        for _ in range(moves):
            seen = torch.cat([apple, hand(angles), angles], -1)
            angles = angles + 0.3 * torch.tanh(self.net(seen))
        return angles


class Horizon:
    """How many moves are looked ahead: more, once the error has fallen."""

    def __init__(self, first=1, last=3):
        self.moves, self.last = first, last
        self.best = float("inf")

    def update(self, step, error):
        self.best = min(self.best, error)
        if step in (2, 5):
            self.moves = min(self.moves + 1, self.last)
