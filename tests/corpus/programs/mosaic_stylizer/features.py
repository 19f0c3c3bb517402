"""A small random feature extractor in place of VGG."""

import torch.nn as nn


class Features(nn.Module):
    def __init__(self, widths=(8, 12)):
        super().__init__()
        layers, c_in = [], 3
        for width in widths:
            layers.append(nn.Sequential(nn.Conv2d(c_in, width, 3, 1, 1), nn.ReLU()))
            c_in = width
        self.layers = nn.ModuleList(layers)
        self.requires_grad_(False)

    def forward(self, x):
        found = []
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        return found
