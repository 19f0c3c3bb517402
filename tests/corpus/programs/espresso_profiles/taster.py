"""Tastes a shot from its pressure."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class Focus:
    """How much of a shot is looked at: the first seconds tell most."""

    seconds: int = 8

    def window(self, pressure):
        return pressure[:, : self.seconds]


class Taster(nn.Module):
    def __init__(self, focus, width=10, kernel=3):
        super().__init__()
        self.focus = focus
        self.profile = nn.Conv1d(1, width, kernel)
        self.grind = nn.Linear(1, width)
        self.taste = nn.Linear(width, 1)

    def forward(self, pressure, ground):
        seen = self.focus.window(pressure).unsqueeze(1)
        profile = functional.leaky_relu(self.profile(seen), 0.1).mean(-1)
        return self.taste(torch.tanh(profile + self.grind(ground))).squeeze(-1)
