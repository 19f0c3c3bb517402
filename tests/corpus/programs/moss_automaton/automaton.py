"""Cells that look at their neighbours and change by a learned rule."""

import torch
from torch import nn
from torch.nn.functional import conv2d, max_pool2d


class Perception(nn.Module):
    """Every channel, and its slopes."""

    def __init__(self, channels):
        super().__init__()
        sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
        identity = torch.zeros(3, 3)
        identity[1, 1] = 1
        filters = torch.stack([identity, sobel, sobel.T]).unsqueeze(1)
        self.register_buffer("filters", filters.repeat(channels, 1, 1, 1))
        self.channels = channels

    def forward(self, grid):
        return conv2d(grid, self.filters, padding=1, groups=self.channels)


class Automaton(nn.Module):
    def __init__(self, channels, width=16):
        super().__init__()
        self.perceive = Perception(channels)
        self.rule = nn.Sequential(
            nn.Conv2d(3 * channels, width, 1), nn.ReLU(), nn.Conv2d(width, channels, 1, bias=False)
        )
        nn.init.normal_(self.rule[2].weight, std=0.01)

    def update(self, grid):
        alive = (max_pool2d(grid[:, 1:2], 3, 1, 1) > 0.1).float()
        fires = (torch.rand_like(grid[:, :1]) < 0.5).float()
        return (grid + fires * self.rule(self.perceive(grid))) * alive

    def forward(self, grid, steps):
        for _ in range(steps):
            grid = self.update(grid)
        return grid
