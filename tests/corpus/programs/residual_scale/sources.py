"""Rows of simulations: some are stiff and are treated with care."""

from contextlib import contextmanager
from dataclasses import dataclass

import torch


@dataclass
class Rows:
    states: torch.Tensor
    stiff: bool


def simulate(steps, rows=8, width=6, stiff_every=4):
    for step in range(steps):
        stiff = step % stiff_every == 2
        yield Rows(torch.randn(rows, width) * (3 if stiff else 1), stiff)


@contextmanager
def careful(engaged):
    """Matrix products in full precision inside, in a faster one outside."""
    torch.set_float32_matmul_precision("highest" if engaged else "high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision("high")
