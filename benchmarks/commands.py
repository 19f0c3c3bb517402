"""Wall seconds of whole commands, as a user waits for them."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter

CA = Path(sys.executable).with_name("ca")
TLPARSE = Path(sys.executable).with_name("tlparse")


def seconds(*command: str | Path, repeats: int = 5) -> float:
    """Median over ``repeats`` runs after a warm-up. Raises CalledProcessError on failure."""
    taken = []
    for _ in range(repeats + 1):
        start = perf_counter()
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        taken.append(perf_counter() - start)
    return statistics.median(taken[1:])
