"""Bottles, buyers and who bought what."""

from typing import NamedTuple

import torch


class Purchases(NamedTuple):
    users: torch.Tensor
    items: torch.Tensor
    popularity: torch.Tensor


class Catalog:
    def __init__(self, bottles=150, grapes=12, seed=2):
        g = torch.Generator().manual_seed(seed)
        self.grape = torch.randint(0, grapes, (bottles,), generator=g)
        self.price = torch.rand(bottles, generator=g).mul(4).exp()
        self.weights = torch.rand(bottles, generator=g) + 0.05
        self.bottles, self.grapes = bottles, grapes

    def features(self, ids):
        return ids, self.grape[ids], self.price[ids].log1p()

    def purchases(self, count, users, g):
        who = torch.randint(0, users, (count,), generator=g)
        what = torch.multinomial(self.weights, count, replacement=True, generator=g)
        return Purchases(who, what, self.weights[what] / self.weights.sum())
