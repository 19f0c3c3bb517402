"""Orders of a bakery: how many of each good, day by day, shop by shop."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Shape:
    shops: int = 4
    goods: int = 6
    history: int = 14


def days(shape, count, seed=7):
    generator = torch.Generator().manual_seed(seed)
    week = 5 + 2 * torch.sin(torch.arange(count + shape.history) * (2 * torch.pi / 7))
    taste = torch.rand(shape.shops, shape.goods, generator=generator)
    sold = torch.poisson(week.view(-1, 1, 1) * taste, generator=generator)
    for day in range(count):
        window = sold[day : day + shape.history]
        yield window.permute(1, 2, 0), sold[day + shape.history]
