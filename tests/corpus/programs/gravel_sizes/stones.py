"""Stones on pictures of gravel: each has another number of them."""

import torch


def pictures(count, seed):
    """(outlines, grams): of every stone its outline's moments, of every picture its weight."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        stones = int(torch.randint(5, 60, (), generator=generator))
        outlines = torch.rand(stones, 6, generator=generator)
        yield outlines, (outlines[:, 0] * outlines[:, 1]).sum()
