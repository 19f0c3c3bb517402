"""The HTML report of many captures of a large model: what it takes to write it, and its size."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

CA = Path(sys.executable).with_name("ca")
MOST_BYTES = 2_000_000
MOST_SECONDS = 10.0

# A 12-layer GPT with an eager forward, whose captures hold the most nodes: ~7,100 each. What
# changes is an exponent, which a capture bakes in, so each step is captured again. The graphs
# run as they are: what Dynamo would add to the log is no part of the page.
SCRIPT = """\
import sys
import torch
from benchmarks.models import gpt

loss = gpt(12)
with torch._dynamo.compiled_autograd._enable(lambda graph: graph, dynamic=False):
    for step in range(int(sys.argv[1])):
        (loss() ** (1 + step / 100)).backward()
"""


@dataclass(frozen=True)
class Page:
    """Wall and CPU seconds of ``ca report``, the size of the page and of the log, in bytes."""

    seconds: float
    cpu: float
    size: int
    log: int


def record(folder: Path, captures: int) -> Path:
    """Record ``captures`` captures in ``folder``; returns the run folder."""
    script = folder / "job.py"
    script.write_text(SCRIPT)
    run = folder / "recorded"
    subprocess.run(
        [str(CA), "run", "--quiet", "--no-report", "-o", str(run), str(script), str(captures)],
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    return run


def measure(run: Path) -> Page:
    """Write the report of ``run`` as a user does."""
    page = run / "report.html"
    began, used = time.perf_counter(), _cpu()
    subprocess.run([str(CA), "report", "-o", str(page), str(run)], check=True, capture_output=True)
    seconds, cpu = time.perf_counter() - began, _cpu() - used
    logs = sum(trace.stat().st_size for trace in (run / "trace").iterdir())
    return Page(seconds, cpu, page.stat().st_size, logs)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
