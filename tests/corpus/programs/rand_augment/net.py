"""A small classifier of pictures."""

import torch.nn as nn


class PictureNet(nn.Module):
    def __init__(self, classes=6, width=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1),
            nn.BatchNorm2d(width),
            nn.SiLU(),
            nn.Conv2d(width, 2 * width, 3, 2, 1),
            nn.BatchNorm2d(2 * width),
            nn.SiLU(),
        )
        self.fc = nn.Linear(2 * width, classes)

    def forward(self, x):
        return self.fc(self.body(x).mean((2, 3)))
