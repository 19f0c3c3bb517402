"""Normalization by what was seen so far."""

import torch
from torch import nn


class RunningNorm(nn.Module):
    """Averages plainly for the first updates, then forgets slowly."""

    def __init__(self, features, memory=20):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("power", torch.ones(features))
        self.updates, self.memory = 0, memory

    def forward(self, x):
        if self.training:
            self.updates += 1
            rate = 1 / min(self.updates, self.memory)
            with torch.no_grad():
                self.mean.lerp_(x.mean((0, 1)), rate)
                self.power.lerp_(x.square().mean((0, 1)), rate)
        return (x - self.mean) * (self.power + 1e-5).rsqrt()
