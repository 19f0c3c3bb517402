"""Scans of objects: each has another number of points."""

import torch

CLASSES = 3


def scans(count, batch_size=4, seed=0):
    g = torch.Generator().manual_seed(seed)
    for _ in range(count):
        points = int(torch.randint(40, 90, (), generator=g))
        labels = torch.randint(0, CLASSES, (batch_size,), generator=g)
        cloud = torch.randn(batch_size, points, 3, generator=g)
        yield cloud * (1 + labels.view(-1, 1, 1)), labels
