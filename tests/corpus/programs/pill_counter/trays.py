"""Trays with pills on them, as a camera sees them."""

import torch
from torch.nn import functional


def photographed(batches, batch=4, side=20, seed=2):
    generator = torch.Generator().manual_seed(seed)
    blob = torch.ones(1, 1, 3, 3)
    for _ in range(batches):
        centers = (torch.rand(batch, side, side, generator=generator) < 0.03).float()
        trays = functional.conv2d(centers.unsqueeze(1), blob, padding=1).clamp(max=1)
        yield trays + 0.05 * torch.randn(trays.shape, generator=generator), centers
