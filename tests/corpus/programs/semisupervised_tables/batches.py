"""Batches of a table, with labels or without."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class Labelled:
    columns: torch.Tensor
    labels: torch.Tensor


@dataclass
class Unlabelled:
    columns: torch.Tensor

    @property
    def labels(self):
        return torch.zeros(len(self.columns), dtype=torch.long)


class Alternating:
    """Three batches with labels, then one without."""

    def __init__(self, steps, rows=8, columns=7):
        self.steps, self.shape = steps, (rows, columns)

    def __iter__(self):
        for step in range(self.steps):
            columns = torch.randn(self.shape)
            if step % 4 == 3:
                yield Unlabelled(columns)
            else:
                yield Labelled(columns, columns[:, :3].argmax(1))
