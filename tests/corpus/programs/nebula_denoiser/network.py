"""A denoiser that corrupts its own input while it learns."""

import torch
from settings import CFG
from torch import nn


def corrupt(pictures):
    return pictures + CFG["sigma"] * torch.randn_like(pictures)


class Denoiser(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU())
        self.decode = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, pictures):
        hidden = self.encode(corrupt(pictures))
        return pictures - self.decode(hidden + self.middle(hidden))
