"""Daily weather of several stations."""

import math

import torch

FEATURES = 4


def make_series(stations=6, days=17, seed=0):
    g = torch.Generator().manual_seed(seed)
    phase = torch.rand(stations, 1, FEATURES, generator=g) * 2 * math.pi
    t = torch.arange(days).view(1, -1, 1) / 9
    return torch.sin(t + phase) + 0.1 * torch.randn(stations, days, FEATURES, generator=g)


def windows(series, length):
    for start in range(0, series.shape[1] - length, length):
        yield series[:, start : start + length], series[:, start + 1 : start + length + 1]
