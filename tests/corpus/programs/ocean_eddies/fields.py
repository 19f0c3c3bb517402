"""Fields of the sea's surface and the eddies in them."""

import torch


def eddies(batch, size, generator):
    at = torch.linspace(-1, 1, size)
    centre = torch.rand(batch, 2, 1, 1, generator=generator) * 1.6 - 0.8
    spin = torch.randint(0, 2, (batch,), generator=generator)
    square = (at[:, None] - centre[:, :1]).square() + (at - centre[:, 1:]).square()
    height = torch.exp(-8 * square) * (2 * spin - 1).view(-1, 1, 1, 1)
    return height + 0.1 * torch.randn(batch, 1, size, size, generator=generator), spin


def stream(count, batch=6, size=8, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        yield eddies(batch, size, generator)
