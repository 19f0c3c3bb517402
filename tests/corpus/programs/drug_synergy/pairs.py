"""Pairs of drugs on a cell line, and whether together they do more."""

from typing import TypedDict

import torch


class Pair(TypedDict):
    first: torch.Tensor
    second: torch.Tensor
    cell: torch.Tensor
    synergy: torch.Tensor


def screen(batches: int, size: int = 8, bits: int = 12, genes: int = 6):
    for _ in range(batches):
        first, second = (torch.rand(2, size, bits) > 0.6).float()
        cell = torch.randn(size, genes)
        synergy = (first * second).sum(1, keepdim=True) / bits + 0.1 * cell[:, :1]
        yield Pair(first=first, second=second, cell=cell, synergy=synergy)
