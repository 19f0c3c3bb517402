"""Square plates of a microscope, some of them turned."""

import random

import torch


class Turned:
    """Turns a plate on its diagonal with some probability."""

    def __init__(self, share, seed=5):
        self.share = share
        self.rng = random.Random(seed)

    def __call__(self, plates):
        if self.rng.random() < self.share:
            return plates.transpose(-1, -2)
        return plates


class Brightened:
    def __init__(self, strength):
        self.strength = strength

    def __call__(self, plates):
        return plates.mul_(1 + self.strength * torch.rand(()))


def plates(count, transforms, rows=4, size=10):
    for _ in range(count):
        batch = torch.rand(rows, 1, size, size)
        pair = batch + 0.05 * torch.randn_like(batch)
        for transform in transforms:
            batch = transform(batch)
        yield batch, pair
