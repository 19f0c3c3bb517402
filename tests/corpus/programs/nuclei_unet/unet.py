"""A U-Net with two levels."""

import torch
import torch.nn as nn


def double_conv(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(c_out, c_out, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, c_in=3, width=6):
        super().__init__()
        self.down1 = double_conv(c_in, width)
        self.down2 = double_conv(width, 2 * width)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.up1 = double_conv(2 * width, width)
        self.dropout = nn.Dropout2d(0.2)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        skip = self.down1(x)
        x = self.down2(self.pool(skip))
        x = self.up1(torch.cat([skip, self.up(x)], dim=1))
        return self.out(self.dropout(x))
