"""A residual encoder of spectra."""

from checkpointing import CheckpointingMixin
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, x):
        return x + self.mix(x)


class SpectrumEncoder(CheckpointingMixin, nn.Module):
    def __init__(self, bands=20, width=16, depth=3, classes=3):
        super().__init__()
        self.enter = nn.Linear(bands, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.enter(x)
        for block in self.blocks:
            x = self.run(block, x)
        return self.head(x)
