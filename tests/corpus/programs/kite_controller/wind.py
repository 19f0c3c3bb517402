"""Gusts, and what a kite's line feels."""

from collections import namedtuple

import torch

Gust = namedtuple("Gust", "speed angle pull")


def gusts(rows=16, seed=8):
    generator = torch.Generator().manual_seed(seed)
    while True:
        speed = torch.rand(rows, 4, generator=generator)
        angle = torch.rand(rows, 4, generator=generator) * 3
        yield Gust(speed, angle, (speed * angle.cos()).sum(1))
