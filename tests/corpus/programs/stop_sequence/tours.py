"""Stops of delivery vans, and in which order a driver made them."""

import torch


def tours(count, batch=4, seed=2):
    """Vans with three to five stops each; all vans of a batch have as many."""
    generator = torch.Generator().manual_seed(seed)
    for number in range(count):
        stops = 3 + number % 3
        places = torch.rand(batch, stops, 2, generator=generator)
        order = places.norm(dim=-1).argsort(1)
        yield places, order
