"""Joins what the sensors say."""

import torch
from torch import nn


class Fusion(nn.Module):
    def __init__(self, sensors, width=16):
        super().__init__()
        self.encoders = nn.ModuleDict(
            {name: nn.Linear(size, width) for name, size in sensors.items()}
        )
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1))

    def forward(self, readings):
        joined = None
        for name, values in readings.items():
            encoded = torch.relu(self.encoders[name](values))
            joined = encoded if joined is None else joined + encoded
        return self.head(joined).squeeze(-1)
