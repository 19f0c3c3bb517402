"""A row for each backward, written in batches, as a hit must cost next to nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from time import perf_counter

from ca_engine import schema, steps, trace

# The first batches are small and then double, so that a job that hangs after a few backwards
# has told of them.
FLUSH_SECONDS = 1.0
FLUSH_ROWS = 1_000

# A backward: its step, its capture, when it began and ended (`perf_counter`), whether it
# missed, whether it failed, its loop position. A plain tuple: making one of a class costs half
# of a hit.
BackwardRow = tuple[int, int, float, float, bool, bool, steps.Position | None]


class BackwardRows:
    """The rows that are not written yet. Whoever appends one then asks whether `flush` is due.

    That is when ``len(pending)`` reaches ``batch``, or at the time ``flush_at``.
    """

    def __init__(self) -> None:
        self._epoch = time.time() - perf_counter()
        self.forget()

    def forget(self) -> None:
        self.pending: list[BackwardRow] = []
        self.batch = 1
        self.flush_at = perf_counter() + FLUSH_SECONDS
        self._hits = 0

    def hits(self) -> int:
        """Count backwards so far that did not miss."""
        return self._hits + sum(not row[4] for row in self.pending)

    def flush(self) -> None:
        """Write the backwards since the last flush."""
        rows, self.pending = self.pending, []
        self.flush_at = perf_counter() + FLUSH_SECONDS
        if not rows:
            return
        self.batch = min(2 * self.batch, FLUSH_ROWS)
        self._hits += sum(not row[4] for row in rows)
        trace.compact_artifact(schema.BACKWARDS_RECORD, lambda: self._record(rows))

    def _record(self, rows: Sequence[BackwardRow]) -> schema.BackwardsRecord:
        step, capture, begin, end, miss, failed, loop = zip(*rows, strict=True)
        start = begin[0]
        record: schema.BackwardsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": self._epoch + start,
            "step": list(step),
            "capture": list(capture),
            "start": [round(each - start, 6) for each in begin],
            "seconds": [round(to - since, 6) for since, to in zip(begin, end, strict=True)],
            "miss": [int(each) for each in miss],
            "failed": [int(each) for each in failed],
        }
        if any(loop):
            positions = [each or steps.NOWHERE for each in loop]
            record["loop_step"] = [position.step for position in positions]
            record["loop_epoch"] = [position.epoch for position in positions]
            record["loop_phase"] = [position.phase for position in positions]
        return record
