"""Residual blocks that are sometimes left out while training."""

import random

from torch import nn


class DropPath:
    """Mixed into a block: skips its residual branch with a probability."""

    drop_probability = 0.0

    def keeps(self):
        return not self.training or random.random() >= self.drop_probability


class Residual(DropPath, nn.Module):
    def __init__(self, channels, drop_probability):
        super().__init__()
        self.drop_probability = drop_probability
        self.branch = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.GroupNorm(2, channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, image):
        if not self.keeps():
            return image
        return image + self.branch(image)


class ResNet(nn.Module):
    def __init__(self, depth=3, channels=8, classes=4, drop=0.5):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        rates = [drop * (number + 1) / depth for number in range(depth)]
        self.blocks = nn.Sequential(*(Residual(channels, rate) for rate in rates))
        self.head = nn.Linear(channels, classes)

    def forward(self, images):
        return self.head(self.blocks(self.stem(images)).mean((2, 3)))
