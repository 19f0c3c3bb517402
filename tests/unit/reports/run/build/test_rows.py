"""The rows of backwards, joined."""

from __future__ import annotations

from ca_reports.run.build.rows import Rows
from tests.unit.logwriter import START


def batch(captures: list[int]) -> dict[str, object]:
    number = len(captures)
    return {
        "time": START, "step": list(range(number)), "capture": captures, "start": [0.0] * number,
        "seconds": [0.1] * number, "miss": [0] * number, "failed": [0] * number,
    }  # fmt: skip


def test_rows_of_captures_that_nobody_keeps_are_counted_together_only() -> None:
    rows = Rows(captures=3)

    for first in range(0, 1_000, 10):
        assert rows.add(batch([0, *range(first, first + 9)])) is not None

    assert rows.count == 1_000
    assert rows.run_counts == {0: 101, 1: 1, 2: 1}
