"""Zones of a greenhouse, of different sizes, cut to windows of one."""

import random

import torch

ZONES = {"tomatoes": 40, "basil": 31, "orchids": 57}


def readings(length, seed):
    generator = torch.Generator().manual_seed(seed)
    humid = 0.5 + 0.2 * torch.randn(length, 3, generator=generator).cumsum(0).sin()
    return humid, humid.roll(2, 0).mean(1) + 0.05 * torch.randn(length, generator=generator)


class Season:
    def __init__(self, seed, window=12):
        self.window = window
        self.zones = {
            name: readings(length, seed + at) for at, (name, length) in enumerate(ZONES.items())
        }

    def windows(self, count):
        names = list(self.zones)
        for _ in range(count):
            random.shuffle(names)
            for name in names:
                x, y = self.zones[name]
                start = random.randrange(len(x) - self.window)
                yield name, x[start : start + self.window], y[start : start + self.window]
