"""Shelves of a warehouse, aisle by aisle."""

from typing import NamedTuple

import torch


class Aisle(NamedTuple):
    name: str
    shelves: torch.Tensor
    minutes: torch.Tensor


PLAN = {"A": 7, "B": 5, "C": 7, "D": 1, "E": 6}


def aisles(features, plan=PLAN, seed=2):
    generator = torch.Generator().manual_seed(seed)
    for name, shelves in plan.items():
        x = torch.randn(shelves, features, generator=generator)
        yield Aisle(name, x, 3 + x.square().sum(-1))


def rounds(count, features):
    for _ in range(count):
        yield from aisles(features)
