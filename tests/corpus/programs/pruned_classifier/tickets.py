"""Blobs in a plane, to be told apart."""

import torch


def blobs(count, classes=4, spread=0.3, seed=8):
    generator = torch.Generator().manual_seed(seed)
    angle = torch.arange(classes) * (2 * torch.pi / classes)
    centres = torch.stack([angle.cos(), angle.sin()], -1)
    labels = torch.randint(0, classes, (count,), generator=generator)
    return centres[labels] + spread * torch.randn(count, 2, generator=generator), labels


def shuffled(points, labels, size):
    order = torch.randperm(len(points))
    for chosen in order[: len(order) // size * size].view(-1, size):
        yield points[chosen], labels[chosen]
