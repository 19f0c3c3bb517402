"""An MLP mixer of patches."""

from timing import timed
from torch import nn


class MixerBlock(nn.Module):
    def __init__(self, patches, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.patches = nn.Linear(patches, patches)
        self.channels = nn.Linear(width, width)

    def forward(self, x):
        x = x + self.patches(self.norm(x).transpose(1, 2)).transpose(1, 2).relu()
        return x + self.channels(x).relu()


class Mixer(nn.Module):
    def __init__(self, patches=9, width=12, depth=2, classes=4):
        super().__init__()
        self.enter = nn.Linear(16, width)
        self.blocks = nn.Sequential(*(MixerBlock(patches, width) for _ in range(depth)))
        self.head = nn.Linear(width, classes)

    @timed("mixer")
    def forward(self, patches):
        return self.head(self.blocks(self.enter(patches)).mean(1))
