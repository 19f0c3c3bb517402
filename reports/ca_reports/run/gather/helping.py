"""Processes that help this one to read: how they begin, and that they end."""

from __future__ import annotations

import os
import sys
import threading
import time

_LOOKS_EVERY = 1.0  # seconds


def can_fork() -> bool:
    """Return whether helpers may be forked: fastest and, in a process without threads, safe."""
    return sys.platform == "linux" and threading.active_count() == 1


def end_with(parent: int) -> None:
    """Let this process end soon after ``parent``, also if that is killed.

    A worker of a pool waits on a pipe, whose other end the workers forked after it hold as well.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOKS_EVERY)
    os._exit(1)
