"""Photos with grain, in sizes that scanners produce."""

import torch
from torch.nn import functional


def padded(photo, side):
    return functional.pad(photo, (0, side - photo.shape[-1], 0, side - photo.shape[-2]))


def photos(count, batch=3, side=16, seed=4):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        height, width = torch.randint(8, side + 1, (2,), generator=generator).tolist()
        clean = torch.rand(batch, 1, height, width, generator=generator).round()
        yield padded(clean, side), float(torch.rand((), generator=generator))
