"""Logs of drill cores, some with faulty sensors."""

import torch


def logs(count, depth=32, channels=5, seed=12):
    generator = torch.Generator().manual_seed(seed)
    weights = torch.randn(channels, generator=generator)
    for number in range(count):
        log = torch.randn(8, depth, channels, generator=generator)
        porosity = torch.sigmoid(log @ weights)
        if number % 5 == 2:
            log = log * 40
        yield log, porosity
