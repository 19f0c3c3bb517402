"""Measures how long ranks waited for one that captured or compiled while they did not.

At a collective the others wait until it is done. No clock of one rank is held against that of
another: each rank's steps are compared with its own usual ones, those in which no rank had
anything to compile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.recompile_limits import step_starts
from ca_reports.torchlib.collectives import is_timeout

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from ca_reports.run.model import Capture, Compile, Process

# Pairs of (recapture, rank) whose waiting is looked at; beyond it a job of thousands of
# ranks that all part at every step would take minutes.
MAX_STALLS = 10_000
# Of what a compile took: a step that took less than this longer did not wait for it.
_LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Stall:
    """A recapture or compiles that not every rank had at that step, or took much longer for.

    ``seconds`` is what it took on ``rank`` beyond an ordinary backward, or beyond what the fastest
    rank compiled there; None of a compile that never ended. ``waited`` is how much longer than
    usual that step was on each rank that had less to do, never more than ``seconds``. ``event``
    is the capture, or the longest of the compiles. ``is_alone``: no other rank compiled then.
    """

    rank: int
    event: Capture | Compile
    step: int
    seconds: float | None
    waited: Mapping[int, float]
    is_alone: bool = True

    @property
    def total(self) -> float:
        """Rank-seconds that the others waited."""
        return sum(self.waited.values())


class _Steps:
    """Return the time of each step of a rank, from the begin of its backward to the next one's."""

    def __init__(self, process: Process) -> None:
        self.whole: dict[int, float] = {}
        self.backward: dict[int, float] = {}
        self.misses: set[int] = set()
        rows = process.backwards
        if rows is None:
            return
        order = sorted(range(len(rows)), key=rows.start.__getitem__)
        for position, row in enumerate(order):
            step = rows.steps[row]
            self.backward[step] = rows.seconds[row]
            if rows.miss[row]:
                self.misses.add(step)
            if position + 1 < len(order):
                self.whole[step] = rows.start[order[position + 1]] - rows.start[row]
            else:
                self.whole[step] = rows.seconds[row]

    def usual(self, times: Mapping[int, float], missed: Container[int]) -> float:
        """Return the median of ``times`` by step where no rank missed, else where this one hit."""
        hits = [step for step in times if step not in self.misses]
        quiet = [step for step in hits if step not in missed]
        return median([times[step] for step in quiet or hits] or [0.0])


def stalls_by_captures(chosen: Mapping[int, Process]) -> tuple[Stall, ...]:
    """Return the recaptures that not every rank had at their step, of processes by rank."""
    steps = {rank: _Steps(process) for rank, process in chosen.items()}
    missed: dict[int, set[int]] = defaultdict(set)
    for rank, found in steps.items():
        for step in found.misses:
            missed[step].add(rank)
    usual = {rank: found.usual(found.whole, missed) for rank, found in steps.items()}
    backward = {rank: found.usual(found.backward, missed) for rank, found in steps.items()}
    # What a step took longer than usual can be laid on one stall only: the longest.
    stalls: list[Stall] = []
    looked_at = 0
    for step in sorted(missed):
        if len(missed[step]) == len(chosen):
            continue
        captured = {rank: steps[rank].backward[step] - backward[rank] for rank in missed[step]}
        rank = max(captured, key=lambda rank: (captured[rank], -rank))
        capture = next(
            (found for found in chosen[rank].captures if found.step == step and found.is_recapture),
            None,
        )
        if capture is None:
            continue
        looked_at += len(chosen)
        if looked_at > MAX_STALLS * len(chosen):
            break
        waited = {}
        for other, found in steps.items():
            if other not in missed[step] and step in found.whole and usual[other]:
                longer = min(found.whole[step] - usual[other], captured[rank])
                if longer > 0:
                    waited[other] = longer
        stalls.append(Stall(rank, capture, step, max(0.0, captured[rank]), waited))
    return tuple(stalls)


def step_of(compiled: Compile, process: Process) -> int | None:
    """Return the step in which something was compiled: that of the backward after it began.

    None if unknown, as for the last that a killed process did: its last steps were not written yet.
    """
    starts = step_starts(process)
    if compiled.time is None or not starts:
        return None
    step = bisect_right(starts, compiled.time)
    return None if step == len(starts) and process.end is None else step


def gave_up(process: Process) -> bool:
    """Return whether a rank ended because a collective waited for too long."""
    end = process.end
    return end is not None and is_timeout(end.error_text or "")


def stalls_by_compiles(chosen: Mapping[int, Process]) -> tuple[Stall, ...]:
    """Return what ranks compiled that others had no part in, or took less for, by step.

    A forward is compiled before its backward, in which the others wait; so it is looked for in
    the step before that backward and in the one after it.
    """
    left_at = [len(step_starts(one)) - 1 for one in chosen.values() if gave_up(one)]
    # What a killed rank compiled last was in the step in which others ended waiting.
    last = max(left_at, default=None)
    ranks = {rank: _Compiling(process, last) for rank, process in chosen.items()}
    stalls: list[Stall] = []
    steps = sorted({step for one in ranks.values() for step in one.compiles})
    usual = {rank: one.usual(steps) for rank, one in ranks.items()}
    for step in steps[:MAX_STALLS]:
        rank = max(ranks, key=lambda rank: (ranks[rank].seconds(step), -rank))
        compiles = ranks[rank].compiles.get(step)
        if not compiles:
            continue
        took = ranks[rank].seconds(step)
        is_open = ranks[rank].open_in == step
        least = 0.0 if is_open else _LEAST_SHARE * took
        waited = {}
        for other, found in ranks.items():
            if other == rank or found.open_in == step:
                continue
            longer = min(found.longest(step) - usual[other], took - found.seconds(step))
            if longer > least:
                waited[other] = longer
        if waited:
            own = took - min(found.seconds(step) for found in ranks.values())
            alone = not any(
                found.compiles.get(step) for other, found in ranks.items() if other != rank
            )
            longest = max(compiles, key=lambda one: one.seconds or float("inf"))
            stalls.append(Stall(rank, longest, step, None if is_open else own, waited, alone))
    return tuple(stalls)


class _Compiling:
    """The compiles of one rank by step, and the length of its steps."""

    def __init__(self, process: Process, last: int | None) -> None:
        starts = step_starts(process)
        self.compiles: dict[int, list[Compile]] = defaultdict(list)
        # The step of a compile during which the process was ended.
        self.open_in: int | None = None
        for compiled in process.compiles:
            is_open = compiled.seconds is None and process.end is None
            step = last if is_open else step_of(compiled, process)
            if step is not None and compiled.is_forward and not compiled.is_refused:
                self.compiles[step].append(compiled)
                self.open_in = step if is_open else self.open_in
        self._seconds = {
            step: sum(one.seconds or 0.0 for one in found) for step, found in self.compiles.items()
        }
        self._steps = [after - before for before, after in pairwise(starts)]
        self._whole = len(self._steps)
        end = process.end.time if process.end is not None else None
        if starts and end is not None and gave_up(process):
            self._steps.append(end - starts[-1])

    def usual(self, compiled_in: Iterable[int]) -> float:
        """Return the median of the steps near none of ``compiled_in``, those of all ranks.

        Where there is none, the shortest that is near no compile of its own; 0 without one.
        """
        whole = self._steps[: self._whole]
        quiet = _away_from(compiled_in, whole)
        return median(quiet) if quiet else min(_away_from(self.compiles, whole), default=0.0)

    def seconds(self, step: int) -> float:
        """Return what was compiled in a step; without end for what never was done."""
        return float("inf") if self.open_in == step else self._seconds.get(step, 0.0)

    def longest(self, step: int) -> float:
        """Return the length of the step, or of the one that its backward began if longer."""
        # Step 3 lies between the starts of the backwards 2 and 3, whose intervals begin with 0.
        near = [self._steps[n] for n in (step - 1, step) if 0 <= n < len(self._steps)]
        return max(near, default=0.0)


def _away_from(compiled_in: Iterable[int], lengths: Sequence[float]) -> list[float]:
    """Return the ``lengths`` of steps with no compile before, in or after them."""
    near = {step + more for step in compiled_in for more in (-1, 0)}
    return [length for number, length in enumerate(lengths) if number not in near]
