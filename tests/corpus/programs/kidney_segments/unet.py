"""A small U-Net, in two halves."""

import torch
from torch import nn


def convolutions(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class UNet(nn.Module):
    def __init__(self, width=4, classes=2):
        super().__init__()
        self.encoder = nn.ModuleDict(
            {"fine": convolutions(1, width), "coarse": convolutions(width, 2 * width)}
        )
        self.decoder = nn.ModuleDict(
            {"up": nn.Upsample(scale_factor=2), "join": convolutions(3 * width, width)}
        )
        self.classify = nn.Conv2d(width, classes, 1)
        self.frozen_statistics = False

    def train(self, mode=True):
        super().train(mode)
        if self.frozen_statistics:
            for module in self.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.eval()
        return self

    def forward(self, image):
        fine = self.encoder["fine"](image)
        coarse = self.encoder["coarse"](nn.functional.avg_pool2d(fine, 2))
        joined = torch.cat([fine, self.decoder["up"](coarse)], 1)
        return self.classify(self.decoder["join"](joined))
