"""Point clouds of a canopy, tile by tile."""

import torch


def tiles(count, points=24, seed=13):
    """Yield points, their echo, and the height of the ground below them."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        xy = torch.rand(points, 2, generator=generator) * 2 - 1
        ground = 0.3 * torch.sin(3 * xy[:, :1]) * xy[:, 1:]
        height = ground + torch.rand(points, 1, generator=generator).pow(3) * 2
        echo = torch.rand(points, 1, generator=generator)
        yield torch.cat([xy, height], 1), echo, ground.squeeze(1)
