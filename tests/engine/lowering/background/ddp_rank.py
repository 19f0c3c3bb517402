"""One of two ranks under DDP: ``python -m … FOLDER RANK``; prints JSON.

The inductor graphs of each take over at steps of their own.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.engine.lowering.background.swapping import empty_caches, swaps

TRAININGS = 10
STEPS = 4


class Model(nn.Module):
    """Of the program's own: under DDP Dynamo leaves torch's containers to Python."""

    def __init__(self, number: int) -> None:
        super().__init__()
        torch.manual_seed(number)
        kinds = [nn.GELU(), nn.Tanh(), nn.LayerNorm(4), nn.Softmax(-1), nn.Dropout(0.3)]
        self.layers = nn.Sequential(
            nn.Linear(3, 4), kinds[number % len(kinds)], nn.Linear(4, 4), nn.Mish()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.layers(x)
        return found


def gradients(
    module: nn.Module, compiled: Callable[..., Any], rank: int, step: int
) -> list[torch.Tensor]:
    torch.manual_seed(100 * rank + step)
    module.zero_grad()
    compiled(torch.randn(5, 3)).square().sum().backward()
    return [each.grad.clone() for each in module.parameters() if each.grad is not None]


def local(number: int, backend: str, rank: int) -> list[list[torch.Tensor]]:
    """This rank's gradients of each step, before they are averaged."""
    with empty_caches():
        module = Model(number)
        compiled = torch.compile(module, backend=backend)
        return [gradients(module, compiled, rank, step) for step in range(STEPS)]


def average(mine: list[torch.Tensor]) -> list[torch.Tensor]:
    """As DDP computes it."""
    halves = [each / 2 for each in mine]
    for each in halves:
        dist.all_reduce(each)
    return halves


def bits(tensors: list[torch.Tensor]) -> list[bytes]:
    return [each.numpy().tobytes() for each in tensors]


def main(folder: str, rank: int) -> None:
    dist.init_process_group(
        "gloo", init_method=Path(folder, "store").as_uri(), rank=rank, world_size=2
    )
    draw = random.Random(rank)
    swapped_at = []
    wrong = []
    for number in range(TRAININGS):
        eager, compiled = (local(number, backend, rank) for backend in ("aot_eager", "inductor"))
        swap_at = draw.randint(1, STEPS - 1)
        with pytest.MonkeyPatch.context() as patch, swaps(patch) as swapped:
            module = DistributedDataParallel(Model(number))
            called = torch.compile(module)
            for step in range(STEPS):
                swapped.worker.is_released = step >= swap_at
                found = gradients(module, called, rank, step)
                expected = average((eager if step < swap_at else compiled)[step])
                if bits(found) != bits(expected):
                    wrong.append((number, step))
            assert swapped.states == ["compiling", "ready"], (swapped.states, swapped.reasons)
        swapped_at.append(swap_at)
    dist.destroy_process_group()
    print(json.dumps({"swapped_at": swapped_at, "wrong": wrong}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
