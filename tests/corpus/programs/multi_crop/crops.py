"""Crops of one-dimensional scans, all resized to one length."""

import random

import torch
from torch.nn import functional


class MultiCrop:
    def __init__(self, size=12, seed=0):
        self.size = size
        self.rng = random.Random(seed)

    def crop(self, scans, share):
        length = int(scans.shape[-1] * share)
        start = self.rng.randint(0, scans.shape[-1] - length)
        piece = scans[..., start : start + length]
        return functional.interpolate(piece, self.size, mode="linear")

    def __call__(self, scans, count):
        shares = [0.8, 0.8] + [0.3] * (count - 2)
        return [self.crop(scans, share) for share in shares]


def scans(batches, rows=6, length=40):
    return (torch.randn(rows, 2, length).cumsum(-1) for _ in range(batches))
