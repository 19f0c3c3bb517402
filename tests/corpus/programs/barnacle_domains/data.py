"""Hulls photographed in two harbours; only those of the first were labelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Pair:
    source: Tensor
    labels: Tensor
    target: Tensor

    @property
    def domains(self) -> Tensor:
        return torch.cat([torch.zeros(len(self.source)), torch.ones(len(self.target))])

    @property
    def images(self) -> Tensor:
        return torch.cat([self.source, self.target])


class Harbours:
    def __init__(self, batch_size: int, seed: int) -> None:
        self.batch_size = batch_size
        self.generator = torch.Generator().manual_seed(seed)

    def _hulls(self, tint: float) -> tuple[Tensor, Tensor]:
        labels = torch.randint(0, 3, (self.batch_size,), generator=self.generator)
        images = torch.rand(self.batch_size, 1, 12, 12, generator=self.generator)
        spots = torch.rand(images.shape, generator=self.generator) < 0.1 * labels.view(-1, 1, 1, 1)
        return images * 0.5 + spots.float() + tint, labels

    def take(self, count: int) -> Iterator[Pair]:
        for _ in range(count):
            source, labels = self._hulls(0.0)
            target, _ = self._hulls(0.3)
            yield Pair(source, labels, target)
