"""A day of temperatures in a house, in pieces."""

import torch


def days(count, rooms=3, hours=24, piece=6, seed=1):
    """Yield pieces of days, and whether a piece is the first of its day."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        outside = torch.sin(torch.arange(hours) / 4).unsqueeze(1)
        inside = outside * torch.rand(rooms, generator=generator)
        inside = inside + 0.1 * torch.randn(hours, rooms, generator=generator)
        for first in range(0, hours, piece):
            yield first == 0, inside[first : first + piece]
