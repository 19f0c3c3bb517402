"""Five surveys of heath plots; each has another relation of soil and cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Survey:
    year: int
    soil: Tensor
    cover: Tensor

    def batches(self, size: int) -> Iterator[tuple[Tensor, Tensor]]:
        order = torch.randperm(len(self.soil))
        for rows in order.split(size):
            if len(rows) == size:
                yield self.soil[rows], self.cover[rows]


def surveys(count: int, plots: int = 52, features: int = 8) -> list[Survey]:
    generator = torch.Generator().manual_seed(3)
    found = []
    base = torch.randn(features, 4, generator=generator)
    for index in range(count):
        drift = 0.5 * torch.randn(features, 4, generator=generator)
        soil = torch.randn(plots, features, generator=generator)
        found.append(Survey(1990 + 5 * index, soil, (soil @ (base + drift)).argmax(1)))
    return found
