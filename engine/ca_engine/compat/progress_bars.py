"""Reads where tqdm's progress bars are in a terminal."""

from __future__ import annotations

import sys


def rows_of_bars() -> int:
    """Return how many lines tqdm's bars take below that of the cursor."""
    tqdm = sys.modules.get("tqdm.std")
    bars = getattr(getattr(tqdm, "tqdm", None), "_instances", ())
    try:
        return max((abs(int(getattr(bar, "pos", 0))) for bar in list(bars)), default=0)
    except (RuntimeError, TypeError, ValueError):
        return 0  # one is closed at this moment
