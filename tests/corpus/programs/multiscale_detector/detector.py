"""Finds the center of an object on a grid of cells."""

import torch
from torch import nn


class Detector(nn.Module):
    stride = 8

    def __init__(self, width=8):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.LeakyReLU(0.1),
            nn.Conv2d(width, width, 3, stride=2, padding=1), nn.LeakyReLU(0.1),
            nn.Conv2d(width, 1, 3, stride=2, padding=1),
        )  # fmt: skip

    def forward(self, images):
        cells = images.shape[-1] // self.stride
        scores = self.backbone(images).flatten(1).softmax(-1).view(-1, cells, cells)
        places = (torch.arange(cells) + 0.5) / cells
        row = (scores.sum(2) * places).sum(1)
        column = (scores.sum(1) * places).sum(1)
        return torch.stack([row, column], dim=1)
