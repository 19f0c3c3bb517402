"""What `ca run` adds to the steps of a training that compiles nothing again.

    python -m benchmarks.steps backend steps

is the training itself, which prints the CPU seconds of a step. `measure` runs it with and
without `ca run` by turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

CA = Path(sys.executable).with_name("ca")
# What a run without recompiles may take more when it is recorded
SHARE = 0.01
WARM_UP = 20


@dataclass(frozen=True)
class Added:
    """CPU seconds of a step without `ca run`, and what it adds as a share of them."""

    step: float
    share: float
    # Standard error of `share`, from one pair of runs to the next.
    error: float


def measure(backend: str, pairs: int, steps: int) -> Added:
    """Run `pairs` pairs of trainings, in the order bare, recorded, recorded, bare, ….

    The first pair fills the compiler's cache and is not counted.
    """
    times: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for pair in range(pairs + 1):
            order = (False, True) if pair % 2 == 0 else (True, False)
            found = {recorded: _seconds(backend, steps, work, recorded) for recorded in order}
            if pair:
                times.append((found[False], found[True]))
    shares = [recorded / bare - 1 for bare, recorded in times]
    return Added(
        step=statistics.median(bare for bare, _ in times),
        share=statistics.mean(shares),
        error=statistics.stdev(shares) / len(shares) ** 0.5,
    )


def _seconds(backend: str, steps: int, work: Path, recorded: bool) -> float:
    script: list[str | Path] = [Path(__file__), backend, str(steps)]
    record: list[str | Path] = [
        CA,
        "run",
        "--quiet",
        "--no-report",
        "-o",
        tempfile.mkdtemp(dir=work),
    ]
    command = [*record, *script] if recorded else [sys.executable, *script]
    repository = str(Path(__file__).parents[1])
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(work / "inductor"), "PYTHONPATH": repository}
    done = subprocess.run(
        command,
        env={**os.environ, **cache, "OMP_NUM_THREADS": "1"},
        cwd=work,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])


def train(backend: str, steps: int) -> float:
    """Train a small compiled GPT; return the median CPU seconds of `steps` steps after the warm-up.

    The median, because what else the machine does disturbs some steps by more than recording adds.
    """
    import torch

    from benchmarks.models import Block

    torch.manual_seed(0)
    blocks = torch.nn.Sequential(*(Block(64, 4) for _ in range(4)))
    model: Any = torch.compile(blocks, backend=backend)
    optimizer = torch.optim.SGD(blocks.parameters(), lr=1e-3)
    x = torch.randn(8, 32, 64)
    times = []
    for _ in range(WARM_UP + steps):
        began = process_time()
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(process_time() - began)
    return statistics.median(times[WARM_UP:])


if __name__ == "__main__":
    print(train(sys.argv[1], int(sys.argv[2])))
