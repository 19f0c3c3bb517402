"""Drops patches of features, more of them as training goes on."""

import torch
from torch import nn
from torch.nn import functional


class DropBlock(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.size, self.share = size, 0.0

    def forward(self, x):
        if not self.training or self.share == 0.0:
            return x
        seeds = (torch.rand_like(x[:, :1]) < self.share / self.size**2).float()
        dropped = functional.max_pool2d(seeds, self.size, stride=1, padding=self.size // 2)
        kept = 1 - dropped
        return x * kept * (kept.numel() / kept.sum().clamp(min=1.0))


class LinearRamp:
    """Raises the share of every DropBlock of a model."""

    def __init__(self, model, final, steps):
        self.blocks = [one for one in model.modules() if isinstance(one, DropBlock)]
        self.final, self.steps, self.now = final, steps, 0

    def step(self):
        self.now += 1
        for block in self.blocks:
            block.share = self.final * min(1.0, self.now / self.steps)
