"""Times the steps after a miss while inductor compiles, in another process or not.

    python -m benchmarks.background CASE waiting|background

is one process of these measurements, which prints its figures as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[1]
CASES = ("GPT, 4 layers", "MLP, 100 layers")
EAGER_STEPS, HITS = 50, 300
MOST_SECONDS = 1500.0


class Steps(NamedTuple):
    """Wall seconds of a step (forward and backward), of one way of compiling.

    ``eager`` is the median without compiled autograd, ``capture`` what a miss adds to it when its
    graph runs as captured; the others are of the steps from the first miss until the compiled
    graphs run: how many, the longest, their median and 90th percentile.
    """

    eager: float
    capture: float
    steps: int
    longest: float
    median: float
    ninetieth: float

    @property
    def most(self) -> float:
        """What is promised of the longest."""
        return 2 * self.eager + self.capture


def measure(case: str, way: str) -> Steps:
    """In a process of its own, with empty caches."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.background", case, way],
            check=True,
            capture_output=True,
            text=True,
            cwd=REPOSITORY,
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache},
        )
    return Steps(*json.loads(done.stdout.splitlines()[-1]))


def _measure(case: str, way: str) -> Steps:
    from functools import partial

    import torch

    import ca_engine
    from benchmarks.recompile import CASES as MODELS
    from ca_engine.lowering.lowered import LoweredBackward

    torch.manual_seed(0)
    loss = MODELS[case]()

    def step() -> float:
        begin = perf_counter()
        loss().backward()
        return perf_counter() - begin

    def compiled_by(backend: str, **options: Any) -> Any:
        ca_engine.reset()
        return ca_engine.enable(partial(torch.compile, backend=backend), lowering=True, **options)

    eager = statistics.median(step() for _ in range(EAGER_STEPS))
    with compiled_by("eager"):
        step()  # what is bound and imported once
    with compiled_by("eager"):
        capture = max(step() - eager, 0.0)
    ready: list[object] = []
    owner: Any = LoweredBackward
    stock = owner._record

    def noting(self: Any, *arguments: Any) -> None:
        stock(self, *arguments)
        if self._background is not None and self._background["state"] == "ready":
            ready.append(self)

    owner._record = noting
    found = []
    with compiled_by("inductor", background=way == "background"):
        end = perf_counter() + MOST_SECONDS
        while not ready and way == "background":
            found.append(step())
            if perf_counter() > end:
                raise TimeoutError("inductor is not done")
        found += [step() for _ in range(HITS)]
    cuts = statistics.quantiles(found, n=10)
    return Steps(eager, capture, len(found), max(found), statistics.median(found), cuts[8])


if __name__ == "__main__":
    print(json.dumps(_measure(*sys.argv[1:])))
