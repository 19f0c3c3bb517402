"""A signed distance field as a small network."""

import itertools

import torch
from torch import nn
from torch.nn import functional


class DistanceField(nn.Module):
    def __init__(self, width=24, layers=3):
        super().__init__()
        sizes = [3, *[width] * layers]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))
        self.out = nn.Linear(width, 1)
        self.sharpness = 1.0

    def forward(self, points):
        hidden = points
        for layer in self.layers:
            hidden = functional.softplus(layer(hidden), beta=self.sharpness)
        return self.out(hidden).squeeze(-1)


def sphere(count, radius=0.6):
    points = torch.rand(count, 3) * 2 - 1
    return points, points.norm(dim=-1) - radius
