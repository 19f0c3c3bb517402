"""A network that guesses the noise at a timestep."""

import math

import torch
from torch import nn


def encode(t, width):
    frequencies = torch.exp(-math.log(100.0) * torch.arange(width // 2) / (width // 2))
    angles = t * frequencies
    return torch.cat([angles.sin(), angles.cos()])


class NoiseNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.width = width
        self.time = nn.Linear(width, width)
        self.enter = nn.Conv1d(2, width, 3, padding=1)
        self.leave = nn.Conv1d(width, 2, 3, padding=1)

    def forward(self, x, t):
        shift = self.time(encode(t, self.width))
        return self.leave((self.enter(x) + shift[:, None]).relu())
