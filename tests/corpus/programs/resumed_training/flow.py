"""A normalizing flow of two coordinates at a time."""

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, size, width, swap):
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(size, width), nn.Tanh(), nn.Linear(width, 2 * size))

    def forward(self, point):
        kept, moved = point.chunk(2, dim=-1)
        if self.swap:
            kept, moved = moved, kept
        shift, log_scale = self.net(kept).chunk(2, dim=-1)
        log_scale = log_scale.tanh()
        moved = moved * log_scale.exp() + shift
        pair = (moved, kept) if self.swap else (kept, moved)
        return torch.cat(pair, dim=-1), log_scale.sum(-1)


class Flow(nn.Module):
    def __init__(self, dimensions=4, width=16, layers=4):
        super().__init__()
        size = dimensions // 2
        self.layers = nn.ModuleList(
            Coupling(size, width, swap=bool(number % 2)) for number in range(layers)
        )

    def forward(self, points):
        assert points.ndim == 2, "rows of coordinates"
        total = points.new_zeros(len(points))
        for layer in self.layers:
            points, change = layer(points)
            total = total + change
        return total - 0.5 * points.square().sum(-1)
