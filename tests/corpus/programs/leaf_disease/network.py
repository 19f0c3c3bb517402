"""Classifies diseases of leaves by patches of a photograph."""

import enum

import torch
from torch import nn


class Pooling(enum.Enum):
    MEAN = "mean"
    ATTENTION = "attention"


class LeafNet(nn.Module):
    def __init__(self, patch=4, width=16, diseases=3, pooling=Pooling.ATTENTION):
        super().__init__()
        self.patch = patch
        self.pooling = pooling
        self.embed = nn.Linear(3 * patch * patch, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.judge = nn.Linear(width, 1)
        self.head = nn.Linear(width, diseases)

    def patches(self, photos):
        rows = photos.unfold(2, self.patch, self.patch).unfold(3, self.patch, self.patch)
        return rows.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)

    def forward(self, photos, *, brightness=None):
        if photos.shape[1] != 3:
            raise ValueError(f"photographs have 3 channels, not {photos.shape[1]}")
        if brightness is not None:
            photos = torch.where(brightness > 0.5, photos - 0.1, photos)
        hidden = self.embed(self.patches(photos))
        for block in self.blocks:
            hidden = hidden + block(hidden).relu()
        if self.pooling is Pooling.ATTENTION:
            shares = self.judge(hidden).softmax(1)
            return self.head((shares * hidden).sum(1))
        return self.head(hidden.mean(1))
