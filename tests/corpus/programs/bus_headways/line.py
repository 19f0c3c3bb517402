"""Buses of a line, and how far apart they run."""

import torch


def days(count, stops=6, trips=10, seed=23):
    """Yield the trips of a day; every fifth day is a holiday with fewer of them."""
    generator = torch.Generator().manual_seed(seed)
    for day in range(count):
        running = 7 if day % 5 == 4 else trips
        load = torch.rand(running, stops, generator=generator)
        headway = 8 + load.cumsum(1)[:, -1] + 0.3 * torch.randn(running, generator=generator)
        yield load, headway
