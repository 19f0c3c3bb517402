"""Times the steps after a miss while inductor compiles in another process.

    python -m benchmarks.background CASE

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
from time import perf_counter, thread_time
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[1]
CASES = ("GPT, 4 layers", "MLP, 100 layers")
EAGER_STEPS, HITS = 200, 300
# One core is left to the other process. Threads that wait for one another would wait for it, too.
THREADS = "1"
# One capture takes this much more than the median of three now and then.
TOLERANCE = 1.15
# A machine that is busy with other things compiles for longer; the steps until then count.
MOST_SECONDS = 240.0


class Spread(NamedTuple):
    """Of the seconds of steps, forward and backward."""

    median: float
    ninetieth: float
    ninety_ninth: float
    longest: float


class Steps(NamedTuple):
    """Steps of a training in which inductor compiles in another process.

    ``eager`` is without compiled autograd. ``capture`` is what a miss adds to a step when its graph
    runs as captured, in seconds. ``steps`` begin with the first miss and end ``HITS`` after the
    compiled graph took over; ``own`` is CPU time of the thread that trains, which does not tell
    when it waits for a core or for the GIL. ``took_over`` is the number of steps until the
    compiled graph ran, None if it was not ready within ``MOST_SECONDS``.
    """

    eager: Spread
    capture: float
    total: int
    steps: Spread
    own: Spread
    took_over: int | None

    @property
    def most(self) -> float:
        """What is promised of the longest."""
        return 2 * self.eager.median + self.capture


def measure(case: str) -> tuple[Steps, Steps]:
    """In a process with empty caches, and in a second one, which finds what the first compiled."""
    with tempfile.TemporaryDirectory() as cache:
        return _started(case, cache), _started(case, cache)


def _started(case: str, cache: str) -> Steps:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.background", case],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache, "OMP_NUM_THREADS": THREADS},
    )
    eager, capture, total, steps, own, took_over = json.loads(done.stdout.splitlines()[-1])
    return Steps(Spread(*eager), capture, total, Spread(*steps), Spread(*own), took_over)


def _measure(case: str) -> Steps:
    from functools import partial

    import torch

    import ca_engine
    from benchmarks.recompile import CASES as MODELS
    from ca_engine.lowering.lowered import LoweredBackward

    torch.manual_seed(0)
    loss = MODELS[case]()

    def step() -> tuple[float, float]:
        begin, own = perf_counter(), thread_time()
        loss().backward()
        return perf_counter() - begin, thread_time() - own

    def compiled_by(backend: str, **options: Any) -> Any:
        ca_engine.reset()
        return ca_engine.enable(partial(torch.compile, backend=backend), lowering=True, **options)

    eager = [step()[0] for _ in range(EAGER_STEPS)]
    with compiled_by("eager"):
        step()  # what is bound and imported once
    captures = []
    for _ in range(3):
        with compiled_by("eager"):
            captures.append(step()[0] - statistics.median(eager))
    ready: list[object] = []
    owner: Any = LoweredBackward
    stock = owner._record

    def noting(self: Any, *arguments: Any) -> None:
        stock(self, *arguments)
        if self._background is not None and self._background["state"] != "compiling":
            assert self._background["state"] == "ready", self._background
            ready.append(self)

    owner._record = noting
    found: list[tuple[float, float]] = []
    with compiled_by("inductor", background=True):
        end = perf_counter() + MOST_SECONDS
        while not ready and perf_counter() < end:
            found.append(step())
        took_over = len(found) if ready else None
        found += [step() for _ in range(HITS)]
    return Steps(
        _spread(eager),
        max(statistics.median(captures), 0.0),
        len(found),
        _spread([wall for wall, _ in found]),
        _spread([own for _, own in found]),
        took_over,
    )


def _spread(seconds: list[float]) -> Spread:
    cuts = statistics.quantiles(seconds, n=100)
    return Spread(statistics.median(seconds), cuts[89], cuts[98], max(seconds))


if __name__ == "__main__":
    print(json.dumps(_measure(*sys.argv[1:])))
