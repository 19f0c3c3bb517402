"""Records when steps without compiled autograd began: how fast a program runs without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from time import perf_counter
from typing import Literal

from ca_engine import schema, trace
from ca_engine.recorder.rows import FLUSH_ROWS, FLUSH_SECONDS


class StepTimes:
    """Write one moment a step, in batches that begin small, as those of `BackwardRows`.

    ``before`` is called before a batch is written.
    """

    def __init__(self, of: Literal["backward", "named"], before: Callable[[], None]) -> None:
        self._of = of
        self._before = before
        self._epoch = time.time() - perf_counter()
        self.forget()

    def forget(self) -> None:
        self._pending: list[float] = []
        self._batch = 1
        self._flush_at = perf_counter() + FLUSH_SECONDS

    def note(self) -> None:
        """Note that a step begins."""
        now = perf_counter()
        self._pending.append(now)
        if now > self._flush_at or len(self._pending) >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Write the steps since the last flush."""
        begins, self._pending = self._pending, []
        self._flush_at = perf_counter() + FLUSH_SECONDS
        if not begins:
            return
        self._batch = min(2 * self._batch, FLUSH_ROWS)
        self._before()
        record: schema.StepsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": self._epoch + begins[0],
            "of": self._of,
            "start": [round(begin - begins[0], 6) for begin in begins],
        }
        trace.compact_artifact(schema.STEPS_RECORD, lambda: record)
