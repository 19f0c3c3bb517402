"""A cellular model of a spreading fire with learned rates."""

import torch
from torch import nn
from torch.nn import functional


class Spread(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = nn.Parameter(torch.full((1, 1, 3, 3), 0.05))
        self.dampen = nn.Parameter(torch.tensor(0.5))

    def forward(self, burning, moisture):
        heat = functional.conv2d(burning, self.kernel, padding=1)
        return torch.maximum(burning, torch.sigmoid(8 * (heat - self.dampen * moisture) - 1))


class Landscape:
    def __init__(self, side=24, seed=9):
        generator = torch.Generator().manual_seed(seed)
        self.moisture = torch.rand(1, 1, side, side, generator=generator)
        self.start = torch.zeros(1, 1, side, side)
        self.start[..., side // 2, side // 2] = 1.0

    def observed(self):
        return functional.max_pool2d(self.start, 7, 1, 3) * (self.moisture < 0.7)
