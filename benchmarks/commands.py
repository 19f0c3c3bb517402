"""Wall seconds of whole commands, as a user waits for them, and the CPU seconds of start-up."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CA = Path(sys.executable).with_name("ca")
TLPARSE = Path(sys.executable).with_name("tlparse")
# What no command can do without, and how many times of it a start-up may take.
FLOOR = (sys.executable, "-c", "import typer")
STARTUP, EXPLAIN = 1.4, 5.5


def seconds(*command: str | Path, repeats: int = 5) -> float:
    """Median over ``repeats`` runs after a warm-up. Raises CalledProcessError on failure."""
    taken = []
    for _ in range(repeats + 1):
        start = perf_counter()
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        taken.append(perf_counter() - start)
    return statistics.median(taken[1:])


def cpu_ratio(
    command: Sequence[str | Path], other: Sequence[str | Path], repeats: int = 9
) -> float:
    """CPU seconds of ``command`` divided by those of ``other``, run in turn: the least of each."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for line, seconds in zip((command, other), taken, strict=True):
            started = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            used = os.wait4(started.pid, 0)[2]
            seconds.append(used.ru_utime + used.ru_stime)
    return min(taken[0]) / min(taken[1])
