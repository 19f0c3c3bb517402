"""Peaks of molecules, binned by mass."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def library(count=48, bins=32, fragments=5, elements=6):
    formula = torch.randint(0, 5, (count, elements)).float()
    places = (formula @ torch.randn(elements, fragments)).abs() * 3
    bin_of = torch.arange(bins, dtype=torch.float32)
    peaks = torch.exp(-(bin_of - places.unsqueeze(-1)).square()).sum(1)
    return TensorDataset(peaks / peaks.amax(1, keepdim=True), formula / 5)


def loaders(size=8):
    data = library()
    train, held = torch.utils.data.random_split(data, [40, 8])
    return DataLoader(train, size, shuffle=True), DataLoader(held, size)
