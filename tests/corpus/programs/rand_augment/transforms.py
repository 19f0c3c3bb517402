"""Augmentations of batches of images."""

import torch


def identity(x):
    return x


def brighten(x):
    return (x + 0.2).clamp(0, 1)


def contrast(x):
    mean = x.mean((2, 3), keepdim=True)
    return ((x - mean) * 1.5 + mean).clamp(0, 1)


def solarize(x):
    return torch.where(x > 0.5, 1 - x, x)


OPERATIONS = (identity, brighten, contrast, solarize)


class RandAugment:
    def __init__(self, rng, operations=OPERATIONS):
        self.rng, self.operations = rng, operations

    def pick(self):
        return self.rng.choice(self.operations)
