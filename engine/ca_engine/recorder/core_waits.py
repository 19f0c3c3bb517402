"""The time for which a thread was ready to run and no core was free: what a busy machine adds.

Linux counts it for each thread; elsewhere nothing does, and no time is left out. It is no part of
the time for which a thread slept, or waited for a device, a disk or another thread.
"""

from __future__ import annotations

import os
import time
from time import perf_counter

from ca_engine import schema, trace

_COUNTS = "/proc/thread-self/schedstat"
# Less than this in a compile is not worth a record.
_LEAST = 0.001


def waited() -> float:
    """Return the seconds that this thread waited for a core so far; 0 where nothing counts them."""
    try:
        # Not kept open: programs count and close what is open.
        file = os.open(_COUNTS, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(file, 128).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def clock() -> float:
    """Return seconds that pass only while this thread has a core, or waits for something else.

    It takes 5 to 15 µs. Of the same thread only are two comparable.
    """
    return perf_counter() - waited()


class CoreWaits:
    """Write how long each capture and each compile waited for a core (``ca_core_waits``)."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._begun: dict[str, CoreWait] = {}

    def begins(self, owner: str) -> None:
        """Begin a capture or a compile; one that never ended was given up."""
        if (waiting := begun()) is not None:
            self._begun[owner] = waiting

    def ends(self, owner: str, event: str) -> None:
        """``event`` is a capture's ``!3``, or Dynamo's id of a compile: ``3/0``."""
        waiting = self._begun.pop(owner, None)
        if waiting is not None:
            waiting.ends(event)


class CoreWait:
    """Counts how long this thread waits for a core from now on, but for what says it itself."""

    # Of all threads, in this process: what was written within another's is no part of that.
    written = 0.0

    def __init__(self) -> None:
        self._before, self._written = waited(), CoreWait.written

    def ends(self, event: str) -> None:
        """Write the seconds as those of ``event``, a capture or a compile."""
        seconds = waited() - self._before - (CoreWait.written - self._written)
        if seconds < _LEAST:
            return
        CoreWait.written += seconds
        record: schema.CoreWaitsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "event": event,
            "waited": round(seconds, 6),
        }
        trace.compact_artifact(schema.CORE_WAITS_RECORD, lambda: record)


def begun() -> CoreWait | None:
    """Begin to count; None where no trace is written."""
    return CoreWait() if trace.is_listening() else None
