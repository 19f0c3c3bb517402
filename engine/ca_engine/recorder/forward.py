"""Notes which line of the forward made each autograd node, for a few forwards after a miss.

Autograd itself does not know. Its anomaly mode notes a traceback for every node that is made,
which takes 6 ms a node (measured: 50 Linears, 3 → 310 ms). With its check for NaNs off and the
user's innermost line in place of the traceback it takes 9 to 20 µs a node, and neither captures,
guards nor results change. Unless `ca run --forward-stacks` asks for it, a budget holds. It is on
only between two backwards, so what a backward does, prints or compiles is never done under it, and
goes off before the program sets a mode of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from types import FrameType
from typing import NamedTuple

from torch.autograd.graph import Node

from ca_engine import schema, trace
from ca_engine.compat import compiled_autograd, patches
from ca_engine.recorder.objects import is_accumulate_grad
from ca_engine.recorder.stack import is_users_file, with_source
from ca_engine.tracebacks import frames_in

# A miss is often followed by another one, or by hits of what it captured, soon: with the line
# of either the difference between captures can be located.
FORWARDS_AFTER_MISS = 32
# Under a budget, so that some is left for the next miss.
FORWARDS_UNDER_BUDGET = 8

_MAX_DEPTH = 500


class NodeLines(NamedTuple):
    """``frames[positions[i]]`` is the line that made the node with NodeCall index ``nodes[i]``."""

    frames: list[schema.FrameRecord]
    nodes: list[int]
    positions: list[int]


class Budget:
    """Limit on the cost of noting lines: 1% of the time since it was made, and 0.3 s in all."""

    SHARE, SECONDS = 0.01, 0.3

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.clock = clock
        self._begin = clock()
        self.spent = 0.0

    def is_left(self) -> bool:
        return self.spent < min(self.SECONDS, self.SHARE * (self.clock() - self._begin))


# Of what a note costs, all but a fifth is torch's: around the call of `users_line` (measured).
_WHOLE = 5


class ForwardStacks:
    """Decides in which forwards lines are noted, and reads what was."""

    def __init__(self, budget: Budget | None = None) -> None:
        """Without a ``budget`` the forwards after a miss are noted whatever that costs."""
        self._budget = budget
        self._forwards = FORWARDS_AFTER_MISS if budget is None else FORWARDS_UNDER_BUDGET
        self._left = 0
        self._known: set[int] = set()
        self._stop: patches.Undo | None = None
        # Whether they were noted in the forward that the latest backward belongs to.
        self.noted = False

    @classmethod
    def chosen(cls, setting: bool | None) -> ForwardStacks | None:
        """As `Settings.forward_stacks` says; None if no lines are noted."""
        if setting is False:
            return None
        return cls(Budget() if setting is None else None)

    def forget(self) -> None:
        """Forget the forward: a forked child is in none of its parent's."""
        if self._stop is not None:
            self._stop()
        self._stop, self._left, self.noted = None, 0, False
        self._known.clear()

    def backward_starts(self) -> None:
        """End the forward. Backwards within others, and those of compilers, are not meant."""
        if (self._stop is None and not self.noted) or compiled_autograd.is_inner_backward():
            return
        self.noted = self._stop is not None
        if self._stop is not None:
            self._stop()
            self._stop = None

    def backward_ends(self, *, missed: bool) -> None:
        """Begin the next forward."""
        if missed:
            self._left = self._forwards
        if not self._left or self._stop is not None:
            return
        budget = self._budget
        if budget is None:
            self._stop = patches.note_new_nodes(users_line)
        elif budget.is_left() and trace.is_listening():
            self._stop = patches.note_new_nodes(partial(self._note, budget))
        self._left -= 1

    def _note(self, budget: Budget) -> list[str]:
        begin = budget.clock()
        line = users_line()
        budget.spent += (budget.clock() - begin) * _WHOLE
        if not budget.is_left() and self._stop is not None:
            self._stop()  # what was noted until here is read all the same
        return line

    def is_read(self, capture: int) -> bool:
        """Return whether the noted lines of a hit of ``capture`` are worth reading."""
        return self._budget is None or self.is_new(capture)

    def is_new(self, capture: int) -> bool:
        """Return whether no lines of this capture's nodes were written yet."""
        return capture not in self._known

    def write(self, step: int, capture: int, lines: NodeLines) -> None:
        """Write the lines of the forward before backward ``step``, which ran ``capture``."""
        self._known.add(capture)
        record: schema.ForwardRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "step": step,
            "capture": capture,
            "frames": lines.frames,
            "nodes": lines.nodes,
            "positions": lines.positions,
            "asked_for": self._budget is None,
        }
        trace.compact_artifact(schema.FORWARD_RECORD, lambda: record)


def users_line() -> list[str]:
    """Return the user's innermost line, as an entry of a formatted traceback."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(_MAX_DEPTH):
        if frame is None:
            break
        code = frame.f_code
        if is_users_file(code.co_filename):
            return [f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n']
        frame = frame.f_back
    return []


def read_lines(nodes: Mapping[int, Node | None]) -> NodeLines:
    """Return the lines noted for these nodes (`snapshot.number_nodes`).

    Leaves are left out: theirs is the line of whatever used them first. The root, which no
    line made, has that of the node after it, the loss's.
    """
    lines = NodeLines([], [], [])
    numbers: dict[str, int | None] = {}
    for index, node in nodes.items():
        if node is None or is_accumulate_grad(node):
            continue
        noted = patches.note_of(node)
        for entry in reversed(noted):
            if entry not in numbers:
                frame = _frame(entry)
                numbers[entry] = None if frame is None else len(lines.frames)
                if frame is not None:
                    lines.frames.append(frame)
            number = numbers[entry]
            if number is not None:
                lines.nodes.append(index)
                lines.positions.append(number)
                break
    if lines.nodes[:1] == [1]:
        lines.nodes.append(0)
        lines.positions.append(lines.positions[0])
    return lines


def _frame(entry: str) -> schema.FrameRecord | None:
    """Return the user's frame that an entry is of; None for others."""
    frame = next(frames_in(entry), None)
    return with_source(frame) if frame is not None and is_users_file(frame.file) else None
