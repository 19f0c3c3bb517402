"""One of two ranks that train one model: ``python -m … FOLDER RANK``; prints JSON.

Inductor's process of rank 1 is stopped until rank 0 runs its compiled graph.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

import ca_engine
from ca_engine.lowering.background import worker
from ca_engine.lowering.lowered import LoweredBackward


class Rank:
    """Trains on its own batch; gradients are averaged over both ranks."""

    def __init__(self, rank: int) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(4, 3), nn.GELU())
        self.batch = torch.randn(2, 5, 4)[rank]

    def step(self) -> list[torch.Tensor]:
        self.model.zero_grad()
        self.model(self.batch).square().sum().backward()
        grads = [each.grad for each in self.model.parameters() if each.grad is not None]
        for grad in grads:
            dist.all_reduce(grad)
        return grads


def main(folder: str, rank: int) -> None:
    dist.init_process_group(
        "gloo", init_method=Path(folder, "store").as_uri(), rank=rank, world_size=2
    )
    training = Rank(rank)
    expected = training.step()
    states: list[str] = []
    owner: Any = LoweredBackward
    stock = owner._record

    def noting(self: Any, *arguments: Any) -> None:
        stock(self, *arguments)
        states.append(self._background["state"])

    owner._record = noting
    worker.NICE = 0
    stopped: int | None = None
    steps: list[list[bytes]] = []
    took_over: list[int | None] = [None, None]
    with ca_engine.enable(partial(torch.compile, backend="inductor"), background=True):
        while None in took_over:
            found = training.step()
            torch.testing.assert_close(found, expected)
            steps.append([grad.numpy().tobytes() for grad in found])
            assert set(states) <= {"compiling", "ready"}, states
            ready = torch.tensor([float("ready" in states and each == rank) for each in range(2)])
            dist.all_reduce(ready)
            for each in range(2):
                if ready[each] and took_over[each] is None:
                    took_over[each] = len(steps)
            process = worker._worker and worker._worker._process
            if rank == 1 and stopped is None and process:
                stopped = process.pid
                os.kill(stopped, signal.SIGSTOP)
            if stopped and took_over[0] is not None:
                with suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGCONT)
    dist.destroy_process_group()
    hashes = [b"".join(step).hex() for step in steps]
    print(json.dumps({"took_over": took_over, "steps": hashes, "stopped": stopped is not None}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
