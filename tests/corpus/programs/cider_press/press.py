"""Sensors of a cider press, and the juice that it gave."""

import torch


def pressing(rows, generator):
    sensors = torch.randn(rows, 6, generator=generator)
    return sensors, sensors[:, :2].sin().sum(1) + 0.1 * torch.randn(rows, generator=generator)


def stream(rows=12, seed=1):
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield pressing(rows, generator)
