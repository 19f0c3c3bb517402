"""Shots of espresso: pressure over time, and how they tasted."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def tasting(count=36, seconds=16):
    pressure = torch.rand(count, 1) * 4 + 5 + torch.randn(count, seconds).cumsum(1) * 0.2
    ground = torch.rand(count, 1)
    sour = ((pressure.mean(1, keepdim=True) - 7) * (1 - ground)).squeeze(1)
    return TensorDataset(pressure, ground, sour)


def sessions(size=6):
    return DataLoader(tasting(), batch_size=size, shuffle=True)
