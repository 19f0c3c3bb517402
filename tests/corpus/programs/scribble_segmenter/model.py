"""A small encoder and decoder with a second head at half resolution."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional


class Maps(NamedTuple):
    full: torch.Tensor
    half: torch.Tensor | None


class Segmenter(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.head = nn.Conv2d(2 * width, config.classes, 1)
        self.deep_head = nn.Conv2d(width, config.classes, 1)

    def forward(self, images, deep):
        fine = self.stem(images).relu()
        coarse = self.down(fine).relu()
        raised = functional.interpolate(coarse, scale_factor=2)
        full = self.head(torch.cat([fine, raised], 1))
        return Maps(full, self.deep_head(coarse) if deep else None)
