"""Times the steps after a recompile of a forward, with inductor waited for and in the background.

    python -m benchmarks.forwards CASE WAY

is one process of these measurements, which prints its figures as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

REPOSITORY = Path(__file__).parents[1]
Way = Literal["torch", "background", "aot_eager"]
WAYS: tuple[Way, ...] = ("torch", "background", "aot_eager")
CASES = ("6 layers", "GPT, 4 layers", "ResNet, 8 blocks")
FIRST, SECOND = 8, 9  # batch sizes, lengths
STEPS_AFTER = 100
# One core is left to the other process. Threads that wait for one another would wait for it, too.
THREADS = "1"
# Torch's longest step, divided by ours; and our seconds until all runs at full speed, by torch's.
LEAST_GAIN, MOST_LATER = 6.0, 1.2
# Steps a second while the other process compiles, divided by those of ``aot_eager`` alone.
LEAST_THROUGHPUT = 0.8


class Recompile(NamedTuple):
    """Steps of a training, forward and backward, from the first with another size on.

    ``full_speed`` is after how many seconds inductor's graph ran, ``until`` after how many steps.
    ``before`` and ``after`` are the medians of steps before and after that, ``p90``, ``p99`` and
    ``mean`` of those before but the first, which waits for Dynamo.
    """

    longest: float
    full_speed: float
    until: int
    before: float
    after: float
    p90: float
    p99: float
    mean: float


def measure(case: str, way: Way) -> Recompile:
    """In a process of its own, with empty caches."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.forwards", case, way],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache, "OMP_NUM_THREADS": THREADS},
        )
    return Recompile(*json.loads(done.stdout.splitlines()[-1]))


def _loss(case: str, way: Way) -> Callable[[int], Any]:
    import torch

    from benchmarks import models

    torch.manual_seed(0)
    made = {
        CASES[0]: lambda: models.normalized_mlp(6),
        CASES[1]: lambda: models.ragged_gpt(4),
        CASES[2]: lambda: models.batched_convolutions(8),
    }
    backend = "aot_eager" if way == "aot_eager" else "inductor"
    compiled: Callable[[int], Any] = torch.compile(made[case](), dynamic=False, backend=backend)
    return compiled


def _measure(case: str, way: Way) -> Recompile:
    import ca_engine
    from ca_engine import trace

    loss = _loss(case, way)
    settled: list[str] = []

    def noting(name: str, payload: Callable[[], Any], **_: Any) -> None:
        if name == "ca_background" and payload()["state"] != "compiling":
            settled.append(payload()["state"])

    recorded: Any = trace
    recorded.compact_artifact = noting

    def step(size: int) -> float:
        begin = perf_counter()
        loss(size).backward()
        return perf_counter() - begin

    def steps(size: int, graphs: int) -> list[float]:
        found = [step(size)]
        while way == "background" and len(settled) < graphs:
            found.append(step(size))
        return found

    with ca_engine.background() if way == "background" else nullcontext():
        steps(FIRST, 1)
        begin = perf_counter()
        until = steps(SECOND, 2)
        full_speed = perf_counter() - begin
        after = [step(SECOND) for _ in range(STEPS_AFTER)]
    assert set(settled) <= {"ready"}, settled
    return Recompile(
        max(*until, *after),
        full_speed,
        len(until),
        statistics.median(until),
        statistics.median(after),
        *_percentiles(until[1:] or until),
        statistics.mean(until[1:] or until),
    )


def _percentiles(found: list[float]) -> tuple[float, float]:
    ordered = sorted(found)
    return ordered[len(ordered) * 9 // 10], ordered[len(ordered) * 99 // 100]


if __name__ == "__main__":
    print(json.dumps(_measure(*sys.argv[1:])))  # type: ignore[arg-type]
