"""Measures the cost of noting the forward's lines: on a hit, at a start, against its budget.

All in one process and by turns, as a share of a step between two processes is lost in the noise.
"""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from time import process_time

import torch

import ca_engine
from ca_engine.recorder.forward import Budget, ForwardStacks

# What noting may add to a hit and to a start, in seconds, and what it may take of what it counts.
HIT, START, COUNTED = 20e-6, 0.005, 1.5
_LAYERS = 20
_HITS = 20_000


@dataclass(frozen=True)
class Noting:
    """CPU seconds that noting adds to a hit, to a start and to one operation of a noted forward.

    ``counted`` is what noting took, as a multiple of what its budget was charged for it.
    """

    hit: float
    start: float
    operation: float
    counted: float


class _Unbounded(Budget):
    def is_left(self) -> bool:
        return True


def measure(pairs: int) -> Noting:
    """Run `pairs` pairs of forwards of an MLP, one with its lines noted and one without."""
    torch.manual_seed(0)
    layers = (each for _ in range(_LAYERS) for each in (torch.nn.Linear(32, 32), torch.nn.Tanh()))
    model = torch.nn.Sequential(*layers)
    x = torch.randn(8, 32)
    began = process_time()
    ForwardStacks.chosen(None)
    start = process_time() - began
    budget = _Unbounded(process_time)
    stacks = ForwardStacks(budget)
    without: list[float] = []
    noted: list[float] = []
    # Lines are noted while somebody listens.
    with tempfile.TemporaryDirectory() as folder, ca_engine.record(folder):
        for _ in range(pairs):
            for times in (without, noted):
                if times is noted:
                    stacks.backward_ends(missed=True)
                began = process_time()
                model(x).square().mean()
                times.append(process_time() - began)
                stacks.backward_starts()
        stacks = ForwardStacks(Budget())
        began = process_time()
        for _ in range(_HITS):
            stacks.backward_starts()
            stacks.backward_ends(missed=False)
        hit = (process_time() - began) / _HITS
    took = statistics.median(noted) - statistics.median(without)
    return Noting(
        hit=hit,
        start=start,
        operation=took / (2 * _LAYERS + 2),
        counted=took * pairs / budget.spent,
    )
