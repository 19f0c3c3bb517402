"""Readings of gas sensors around a plant, and where the leak was."""

from collections import namedtuple

import torch

Window = namedtuple("Window", "readings place")


def windows(count, sensors=10, minutes=6, seed=21):
    generator = torch.Generator().manual_seed(seed)
    sites = torch.rand(sensors, 2, generator=generator)
    for _ in range(count):
        place = torch.rand(12, 2, generator=generator)
        near = 1 / (0.1 + torch.cdist(place, sites))
        noise = torch.randn(12, minutes, sensors, generator=generator)
        yield Window((near.unsqueeze(1) + 0.1 * noise).flatten(1), place)
