"""The backwards of a process as facts need them, without an object for each of a million."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.run.model import Backwards


class Steps:
    """Pairs of a step and the capture that ran, in the order of the rows, made when asked for."""

    def __init__(self, rows: Backwards | None) -> None:
        """None stands for a log without rows."""
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs, each time from the first."""
        rows = self._rows
        return iter(()) if rows is None else zip(rows.steps, rows.capture, strict=True)


class Ends:
    """When backwards ended, and the steps of each."""

    def __init__(self, rows: Backwards | None) -> None:
        """None stands for a log without rows."""
        if rows is None:
            self._ends, self._steps = array("d"), array("q")
            return
        ends = array("d", map(add, rows.start, rows.seconds))
        steps = rows.steps
        if not _is_in_order(ends):  # backwards within backwards
            order = sorted(range(len(ends)), key=lambda row: (ends[row], steps[row]))
            steps = array("q", (steps[row] for row in order))
            ends = array("d", (ends[row] for row in order))
        self._ends, self._steps = ends, steps

    def first_from(self, time: float) -> int | None:
        """Return the step of the first that ended at ``time`` or later; None if none did."""
        position = bisect_left(self._ends, time)
        return self._steps[position] if position < len(self._ends) else None


def in_order(times: Iterable[float]) -> array[float]:
    """Return ``times``, the earliest first; themselves, if they are an array in that order."""
    found = times if isinstance(times, array) else array("d", times)
    return found if _is_in_order(found) else array("d", sorted(found))


def _is_in_order(times: array[float]) -> bool:
    return all(one <= other for one, other in pairwise(times))
