"""Outlines of fossils: spirals, fans and stars, as radii over the angle."""

import math

import torch
from torch.utils.data import DataLoader, TensorDataset

CLASSES = ("ammonite", "scallop", "starfish")


def outlines(count, angles=24, seed=0):
    g = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, len(CLASSES), (count,), generator=g)
    theta = torch.linspace(0, 2 * math.pi, angles)
    shapes = torch.stack([theta / 6, theta.sin().abs(), 0.5 + 0.5 * (5 * theta).cos()])
    radii = shapes[kind] + 0.1 * torch.randn(count, angles, generator=g)
    return TensorDataset(radii.unsqueeze(1), kind)


def get_loaders(batch_size, workers=0):
    train = DataLoader(
        outlines(76),
        batch_size=batch_size,
        shuffle=True,
        generator=torch.Generator().manual_seed(1),
        num_workers=workers,
    )
    valid = DataLoader(outlines(30, seed=1), batch_size=batch_size, num_workers=workers)
    return train, valid
