"""Reading a large log: wall seconds and memory of ``ca explain-recompiles`` and tlparse."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import ca_reports
from benchmarks import logs
from benchmarks.commands import CA, TLPARSE
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import CaError
from ca_reports.output import json
from tests import slopes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# How much faster than tlparse: by the clock, where both cores are free it is 20; and by the CPU
# seconds of one process, which depends less on what else runs.
RATIO, CPU_RATIO = 20, 13

# Runs a command and prints what its processes took and the peak of the largest: RUSAGE_CHILDREN
# is a maximum over all children so far, so each measurement needs a parent of its own.
_MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass(frozen=True)
class Measured:
    """Wall and CPU seconds; peak resident memory of the largest process, in bytes."""

    seconds: float
    cpu: float
    peak: int


def measure(command: Sequence[str | Path]) -> Measured:
    """Run ``command`` once. Raises CalledProcessError if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *(str(part) for part in command)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, cpu, kilobytes = done.stdout.split()
    return Measured(float(seconds), float(cpu), int(kilobytes) * 1024)


def explain(*logs: Path, jobs: int | None = None) -> Measured:
    """Make a full diagnosis of ``logs``, as the user gets it."""
    options = [] if jobs is None else ["--jobs", str(jobs)]
    return measure([CA, "explain-recompiles", *logs, *options])


def memory(command: Sequence[str | Path]) -> int:
    """Return the most that a command and its helpers had at once, in bytes, looking every 20 ms.

    Pages that several of them share count once.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, sum(_proportional(pid) for pid in (process.pid, *_children(process.pid))))
        time.sleep(0.02)
    return most


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def tlparse(log: Path, out: Path) -> Measured:
    """Read the same file by tlparse, which writes its pages to ``out``."""
    measured = measure([TLPARSE, log, "-o", out, "--overwrite", "--no-browser"])
    shutil.rmtree(out)  # a gigabyte or two
    return measured


def write(folder: Path, megabytes: int, program: str = logs.SCRIPT) -> Path:
    """Write a log of at least so many megabytes (10**6 bytes), of what ``program`` does."""
    return logs.write_log(logs.record_once(folder, program), folder / f"{megabytes}.log", megabytes)


def exponent(made: Callable[[int], bytes], folder: Path) -> float:
    """How the time to read ``made(n)`` and to explain it as JSON grows with n."""
    trace = folder / "trace.log"

    def read(data: bytes) -> None:
        trace.write_bytes(data)
        try:
            json.render(analyze(ca_reports.load([trace], jobs=1)))
        except CaError:
            return

    return slopes.steady(read, made, 1_000)
