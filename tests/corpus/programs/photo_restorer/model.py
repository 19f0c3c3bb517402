"""Cleans photos, block by block."""

from functools import partial

from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, activation):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.activation = activation

    def forward(self, photos):
        return photos + self.activation(self.conv(photos))


class Restorer(nn.Module):
    def __init__(self, width=4, blocks=3):
        super().__init__()
        self.lift = nn.Conv2d(1, width, 1)
        activations = (partial(functional.leaky_relu, negative_slope=0.1) for _ in range(blocks))
        self.blocks = nn.ModuleList(Block(width, one) for one in activations)
        self.lower = nn.Conv2d(width, 1, 1)

    def forward(self, photos):
        hidden = self.lift(photos)
        for block in self.blocks:
            hidden = block(hidden)
        return photos - self.lower(hidden)
