"""The batches of ``ca_backwards``, ``ca_steps`` and ``ca_calls`` of one process, read."""

from __future__ import annotations

from array import array
from typing import Any

from ca_reports.logs.fields import duration, integer, items, moment, text
from ca_reports.run.loop import Positions, read_columns
from ca_reports.run.model import Backwards, CompiledCall

COLUMNS = ("step", "capture", "start", "seconds", "miss", "failed")


class Rows:
    """The batches of ``ca_backwards``, joined."""

    def __init__(self, most: int = 1_000_000, captures: int = 20_000) -> None:
        """Start with no batch; ``most`` rows are kept, sums go on beyond them.

        The rows of ``captures`` captures are counted: those beyond have none that is kept.
        """
        self._most = most
        self._captures = captures
        self.batches = 0
        self.count = 0
        self.hits = 0
        self.failures = 0
        self.run_counts: dict[int, int] = {}
        self._loops = Positions()
        self._columns = Backwards(
            array("q"), array("q"), array("d"), array("d"), array("b"), array("b"), 0, 0, 0
        )

    def add(self, raw: dict[str, Any]) -> float | None:
        """Join one batch; returns when its last row ended, None if it is broken."""
        columns = [raw.get(name) for name in COLUMNS]
        time = moment(raw.get("time"))
        if time is None or not all(isinstance(found, list) for found in columns):
            return None
        rows = list(zip(*(items(found) for found in columns), strict=False))
        if any(len(items(found)) != len(rows) for found in columns):
            return None
        checked = [_row(row) for row in rows]
        if None in checked:
            return None
        self.batches += 1
        last = time
        kept = self._columns
        self._add_loops(raw, len(rows), self._most - len(kept.capture))
        for row in checked:
            assert row is not None
            step, capture, start, seconds, miss, failed = row
            self.count += 1
            self.hits += not miss
            self.failures += failed
            before = self.run_counts.get(capture)
            if before is not None or len(self.run_counts) < self._captures:
                self.run_counts[capture] = (before or 0) + 1
            last = max(last, time + start + seconds)
            if len(kept.capture) < self._most:
                kept.steps.append(step)
                kept.capture.append(capture)
                kept.start.append(time + start)
                kept.seconds.append(seconds)
                kept.miss.append(miss)
                kept.failed.append(failed)
        return last

    def build(self) -> Backwards:
        """Return the columns, in the order of the batches."""
        kept = self._columns
        return Backwards(
            kept.steps, kept.capture, kept.start, kept.seconds, kept.miss, kept.failed,
            self.count, self.hits, self.failures, self._loops if len(self._loops) else None,
        )  # fmt: skip

    def _add_loops(self, raw: dict[str, Any], rows: int, room: int) -> None:
        """Add what the loop called these rows; a job that names nothing pays nothing."""
        named = read_columns(raw, rows)
        if not len(self._loops):
            if not any(named):
                return
            self._loops.extend([None] * len(self._columns.capture))
        self._loops.extend(named[: max(0, room)])


class StepStarts:
    """The batches of ``ca_steps``, joined; ``most`` of each kind are kept."""

    def __init__(self, most: int = 1_000_000) -> None:
        """Start with no batch."""
        self._most = most
        self._backwards = array("d")
        self._named = array("d")

    def add(self, raw: dict[str, Any]) -> float | None:
        """Join one batch; returns when its last step began, None if it is broken."""
        time = moment(raw.get("time"))
        starts = [duration(found) for found in items(raw.get("start"))]
        if time is None or not starts:
            return None
        kept = self._named if raw.get("of") == "named" else self._backwards
        last = time
        for start in starts:
            if start is None:
                return None
            last = max(last, time + start)
            if len(kept) < self._most:
                kept.append(time + start)
        return last

    def build(self) -> array[float]:
        """When each eager backward began; where there was none, each step that has a name."""
        return self._backwards or self._named


def read_calls(raw: dict[str, Any]) -> list[CompiledCall] | None:
    """Return the calls of one batch of ``ca_calls``; None if it is broken."""
    time = moment(raw.get("time"))
    columns = [items(raw.get(name)) for name in ("callable", "start", "seconds")]
    if time is None or not columns[0] or len({len(column) for column in columns}) > 1:
        return None
    places = [_place(one) for one in items(raw.get("places"))]
    # Older recordings do not say where a call was.
    numbers = [integer(one) for one in items(raw.get("place"))] or [None] * len(columns[0])
    if len(numbers) != len(columns[0]):
        return None
    calls = []
    for number, began, took, at in zip(*columns, numbers, strict=True):
        callee, start, seconds = integer(number), duration(began), duration(took)
        if callee is None or start is None or seconds is None:
            return None
        place = places[at] if at is not None and 0 <= at < len(places) else None
        calls.append(CompiledCall(callee, time + start, seconds, place))
    return calls


def _place(raw: object) -> tuple[str, int] | None:
    file, line = (*items(raw), None, None)[:2]
    named, number = text(file), integer(line)
    return (named, number) if named and number else None


def _row(row: tuple[Any, ...]) -> tuple[int, int, float, float, int, int] | None:
    """Return one row of ``COLUMNS``, checked."""
    step, capture = integer(row[0]), integer(row[1])
    start, seconds = duration(row[2]), duration(row[3])
    if step is None or capture is None or start is None or seconds is None:
        return None
    if row[4] not in (0, 1) or row[5] not in (0, 1):
        return None
    return step, capture, start, seconds, int(row[4]), int(row[5])
