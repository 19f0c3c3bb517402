"""Pressure gauges in wells. Each kind is calibrated by a curve from the maker's sheet."""

import numpy as np
import torch
from torch import nn

MILLIAMPERE = np.array([4.0, 6.0, 9.0, 12.0, 16.0, 20.0])
METRES = np.array([0.0, 1.1, 3.4, 5.6, 9.2, 12.5])


def to_metres(current):
    """Piecewise linear, as on the sheet."""
    metres = np.interp(current.numpy(), MILLIAMPERE, METRES)
    return torch.from_numpy(metres).float()


class WellForecast(nn.Module):
    def __init__(self, history, ahead, width=20):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(history))
        self.net = nn.Sequential(nn.Linear(history, width), nn.GELU(), nn.Linear(width, ahead))

    def forward(self, current):
        level = to_metres(current)
        anchor = level[:, -1:]
        return anchor + self.net((level - anchor) * self.scale)
