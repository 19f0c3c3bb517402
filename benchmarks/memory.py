"""Peak memory of a process after many captures: torch's engine and ours, each in its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Literal

STRUCTURES = 60
# Operators in a chain; which of two each one is makes the structure.
LENGTH = 60

Engine = Literal["torch", "ca"]


def measure(engine: Engine) -> dict[str, float]:
    """Bytes from the resident memory before the captures to its peak; CPU seconds of them."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", engine],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    grown, seconds = done.stdout.split()
    return {"bytes": float(grown), "seconds": float(seconds)}


def _capture_all(engine: Engine) -> None:
    import torch

    from benchmarks.capture import ENGINES, captured_with

    x = torch.randn(4, requires_grad=True)

    def chain(structure: int) -> torch.Tensor:
        y = x
        for place in range(LENGTH):
            y = y.sin() if structure >> (place % 6) & 1 else y.tanh()
        return y.sum()

    with captured_with(ENGINES[engine], lambda module: module):
        chain(STRUCTURES).backward()  # imports, and the binding of C++ nodes
        before, cpu_before = resident_bytes("VmRSS"), process_time()
        for structure in range(STRUCTURES):
            chain(structure).backward()
    print(resident_bytes("VmHWM") - before, process_time() - cpu_before)


def resident_bytes(name: str) -> int:
    """Bytes of this program's memory, ``VmRSS`` now or ``VmHWM`` at its peak (Linux).

    Not ``getrusage``: its peak takes in the process that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return int(kilobytes) * 1024


if __name__ == "__main__":
    _capture_all("ca" if sys.argv[1] == "ca" else "torch")
