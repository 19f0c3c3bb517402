"""A fully convolutional mapper of crops."""

import torch.nn as nn
from fields import CROPS


class CropMapper(nn.Module):
    def __init__(self, bands=4, width=12, dropout=0.1):
        super().__init__()
        self.stem = nn.Conv2d(bands, width, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
            for _ in range(2)
        )
        self.dropout = nn.Dropout2d(dropout)
        self.classify = nn.Conv2d(width, CROPS, 1)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.classify(self.dropout(x))
