"""CUDA graphs that were asked for and skipped, as torch says it while compiled code runs.

Of those that are skipped at a compile its metrics have the reason; of the others torch's own trace
has nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ca_engine import schema, trace
from ca_engine.compat import cudagraph_skips

# Distinct reasons that are written; torch repeats one for each graph and run.
_MOST = 1_000


class CudaGraphSkips:
    """Write ``ca_cudagraph_skip``, each reason once."""

    def __init__(self) -> None:
        self._undo: Callable[[], None] | None = None
        self._told: set[str] = set()

    def forget(self) -> None:
        """Tell each reason again."""
        self._told.clear()

    def compile_ends(self) -> None:
        """Listen from now on if inductor, which says it, was imported by then."""
        if self._undo is None:
            self._undo = cudagraph_skips.watch(self._skipped)

    def stop(self) -> None:
        """Listen no more."""
        if self._undo is not None:
            self._undo()
            self._undo = None

    def _skipped(self, reason: str) -> None:
        if not trace.is_listening() or reason in self._told or len(self._told) >= _MOST:
            return
        self._told.add(reason)
        record: schema.CudaGraphSkipRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "reason": reason,
        }
        trace.compact_artifact(schema.CUDAGRAPH_SKIP_RECORD, lambda: record)
