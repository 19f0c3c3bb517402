"""Pause garbage collection."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection: what a log brings holds no cycles, nor do the pictures of graphs.

    In a heap that only grows, looking for them takes two thirds of the time of unpickling it, and a
    quarter of that of drawing.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
