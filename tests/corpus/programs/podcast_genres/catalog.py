"""Listeners, podcasts and two countries that rate them differently."""

from typing import NamedTuple

import torch


class Ratings(NamedTuple):
    listener: torch.Tensor
    podcast: torch.Tensor
    stars: torch.Tensor
    country: torch.Tensor


def ratings(count: int, listeners: int, podcasts: int, seed: int) -> Ratings:
    generator = torch.Generator().manual_seed(seed)
    listener = torch.randint(listeners, (count,), generator=generator)
    podcast = torch.randint(podcasts, (count,), generator=generator)
    country = torch.randint(2, (count,), generator=generator)
    taste = torch.sin(listener * 0.7 + podcast * 1.3) + 0.4 * country
    return Ratings(listener, podcast, taste, country)


def shuffled(data: Ratings, size: int, generator: torch.Generator):
    order = torch.randperm(len(data.stars), generator=generator)
    for start in range(0, len(order) - size + 1, size):
        rows = order[start : start + size]
        yield Ratings(*(column[rows] for column in data))
