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
    """Write how long each compile waited for a core (``ca_core_waits``)."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._begun: dict[str, float] = {}

    def compile_begins(self, compile_id: str) -> None:
        """Dynamo or AOTAutograd compiles."""
        if trace.is_listening():
            self._begun[compile_id] = waited()

    def compile_ends(self, compile_id: str) -> None:
        """``compile_id`` is Dynamo's: ``3/0``."""
        before = self._begun.pop(compile_id, None)
        seconds = 0.0 if before is None else waited() - before
        if seconds < _LEAST:
            return
        record: schema.CoreWaitsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "event": compile_id,
            "waited": round(seconds, 6),
        }
        trace.compact_artifact(schema.CORE_WAITS_RECORD, lambda: record)
