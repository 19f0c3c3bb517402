"""A few convolutions, and an average in a power mean."""

import torch
from torch import nn


class PowerMean(nn.Module):
    """Between an average and a maximum, by the power."""

    def __init__(self, power):
        super().__init__()
        self.power = power

    def forward(self, x):
        return x.clamp(min=1e-4).pow(self.power).mean((2, 3)).pow(1.0 / self.power)


class Edible(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.see = nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.Conv2d(width, width, 3))
        self.pool = PowerMean(1.5)
        self.out = nn.Linear(width, 1)

    def forward(self, image):
        return self.out(self.pool(torch.sigmoid(self.see(image)))).squeeze(-1)
