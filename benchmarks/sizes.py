"""What N sizes of one structure cost: lowered for each of them, or compiled by Dynamo for all.

    python -m benchmarks.sizes CASE BACKEND lowering|dynamo|dynamic N

is one process of these measurements, which prints figures.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

from benchmarks.memory import resident_bytes

REPOSITORY = Path(__file__).parents[1]
HITS = 60
COUNTS = (1, 2, 4, 8, 16, 64)
CASES = ("MLP, 20 layers, batch sizes", "GPT, 2 layers, lengths")


class Sizes(NamedTuple):
    """CPU seconds until the first N sizes have run, for each N; bytes that the process grew by;
    CPU seconds of a hit.
    """

    seconds: list[float]
    memory: float
    hit: float


def measure(case: str, backend: str, way: str, sizes: int) -> Sizes:
    """``way``: lowering; dynamo, which takes one size for a constant and then compiles for all; or
    dynamic, which is dynamo where ``dynamic=True`` says so from the start.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sizes", case, backend, way, str(sizes)],
        check=True,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
    )
    return Sizes(*json.loads(done.stdout))


def _measure(case: str, backend: str, way: str, sizes: int) -> Sizes:
    import torch
    import torch._inductor.config
    from torch._inductor.utils import fresh_cache

    import ca_engine
    from benchmarks import models
    from benchmarks.recompile import cpu_seconds
    from ca_engine import schema

    # Otherwise compilers run in workers, whose seconds nobody counts.
    torch._inductor.config.compile_threads = 1
    schema.MOST_LOWERED_SIZES.update(dict.fromkeys(schema.MOST_LOWERED_SIZES, sizes + 1))
    make: Callable[[], models.SizedLoss] = (
        partial(models.batched_mlp, 20) if case.startswith("MLP") else partial(models.ragged_gpt, 2)
    )
    dynamic = True if way == "dynamic" else None
    compiled = partial(torch.compile, backend=backend, dynamic=dynamic)
    with (
        fresh_cache(),
        ca_engine.enable(compiled, dynamic=bool(dynamic), lowering=way == "lowering"),
    ):
        warm = models.batched_mlp(1)
        for size in (3, 4, 5):
            warm(size).backward()  # what is imported once
        torch.manual_seed(0)
        loss = make()
        loss(3).backward()  # without .grad
        seconds: list[float] = []
        taken, before = 0.0, 0
        for size in range(4, 4 + sizes):
            root = loss(size)
            gc.collect()
            before = before or resident_bytes("VmRSS")
            begin = cpu_seconds()
            root.backward()
            taken += cpu_seconds() - begin
            seconds.append(taken)
        gc.collect()
        grown = resident_bytes("VmRSS") - before
        hits = []
        for _ in range(HITS):
            root = loss(4)
            begin = thread_time()
            root.backward()
            hits.append(thread_time() - begin)
    return Sizes(seconds, grown, statistics.median(hits))


if __name__ == "__main__":
    name, backend, way, count = sys.argv[1:]
    found: Any = _measure(name, backend, way, int(count))
    print(json.dumps(found))
