"""Pictures of camera traps, each one taken twice."""

import torch


def visits(count, batch=5, pixels=18, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        animal = torch.randn(batch, pixels, generator=generator)
        shake = 0.3 * torch.randn(2, batch, pixels, generator=generator)
        yield animal + shake[0], animal + shake[1]
