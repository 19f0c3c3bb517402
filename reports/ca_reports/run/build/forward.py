"""The lines of the forward that made autograd nodes, as `ca run` noted them.

Put together here from the ``ca_forward`` records of one process. A record tells of the nodes
of one capture, and may come before that capture's own record or long after it.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from ca_reports.logs.fields import integer, items
from ca_reports.run.frames import own_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Backwards, Capture, Change, Frame, Process

# Nodes whose lines are kept, of all captures of a process; and forwards that are counted.
MAX_NODES = 1_000_000
MAX_FORWARDS = 1_000_000
# A median of fewer forwards than this says nothing.
_ENOUGH = 3


class ForwardLines:
    """The lines of one process's nodes, by capture and NodeCall index."""

    def __init__(self) -> None:
        """Start with none."""
        self.steps: list[int] = []
        self._lines: dict[int, dict[int, Frame]] = {}
        self._frames: dict[Frame, Frame] = {}
        self._left = MAX_NODES

    def add(self, raw: dict[str, Any]) -> bool:
        """Take a ``schema.ForwardRecord``; False if it is of the wrong shape."""
        step, capture = integer(raw.get("step")), integer(raw.get("capture"))
        nodes, positions = items(raw.get("nodes")), items(raw.get("positions"))
        if step is None or capture is None or len(nodes) != len(positions):
            return False
        if raw.get("asked_for") is not False and len(self.steps) < MAX_FORWARDS:
            self.steps.append(step)
        frames = [self._frames.setdefault(frame, frame) for frame in _frames(raw)]
        lines = self._lines.setdefault(capture, {})
        for node, position in zip(nodes, positions, strict=True):
            index, number = integer(node), integer(position)
            if index is None or number is None or number >= len(frames):
                return False
            if self._left > 0:
                self._left -= 1
                lines[index] = frames[number]
        return True

    def locate(self, capture: Capture) -> Capture:
        """Return ``capture`` with the lines of its nodes, and of what changed in it."""
        if not self._lines:
            return capture
        changes = tuple(self._located(capture, change) for change in capture.changes)
        node = None if capture.node is None else self._line(capture.id, capture.node.index)
        if node is None and capture.node is not None:
            named = capture.node.index
            node = next((found.forward for found in changes if found.index == named), None)
        first = next((found.forward for found in changes if found.forward is not None), None)
        return replace(
            capture,
            changes=changes,
            forward=(node or first) if changes else None,
            lines=self._lines.get(capture.id, {}),
        )

    def _located(self, capture: Capture, change: Change) -> Change:
        line = self._line(capture.id, change.index)
        if line is None and capture.closest_capture is not None:
            # The forward of that capture was noted, of this one's not: the same line, unless
            # only one of them has this node.
            line = self._line(capture.closest_capture, change.before_index)
        return change if line is None else replace(change, forward=line)

    def _line(self, capture: int, index: int | None) -> Frame | None:
        return None if index is None else self._lines.get(capture, {}).get(index)


def _frames(raw: dict[str, Any]) -> Sequence[Frame]:
    # Of a stack only so many frames are read; these are no stack, but one for each line.
    found = items(raw.get("frames"))
    return [frame for entry in found for frame in own_frames([entry])]


def seconds_noting(process: Process) -> float | None:
    """Estimate what noting lines cost: how much longer those forwards took than the others.

    From the time between the end of a backward and the begin of the next, of which the forward
    is a part. Of both kinds the median counts, so that neither a compile in one of them nor a
    checkpoint that is written weighs. None where there are too few of either to tell.
    """
    rows = process.backwards
    if rows is None or not process.noted_forwards:
        return None
    noted, others = _pauses(rows, frozenset(process.noted_forwards))
    if len(noted) < _ENOUGH or len(others) < _ENOUGH:
        return None
    return max(0.0, median(noted) - median(others)) * len(process.noted_forwards)


def _pauses(rows: Backwards, steps: frozenset[int]) -> tuple[list[float], list[float]]:
    """Return seconds before each backward but the first: those of ``steps``, and the others."""
    noted: list[float] = []
    others: list[float] = []
    for row in range(1, len(rows)):
        pause = rows.start[row] - rows.start[row - 1] - rows.seconds[row - 1]
        (noted if rows.steps[row] in steps else others).append(pause)
    return noted, others
