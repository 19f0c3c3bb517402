"""Functions that hit a recompile limit: when, and how fast steps were before and after.

Where nothing names a step, as in a loop that only infers, they are the calls of what was compiled.

From the limit on Dynamo leaves the function, and what it calls, to Python, and runs only what it
compiled before. Nothing says so in the trace but the compile that it gave up.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice, pairwise
from statistics import median
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.run.refusals import LIMIT_IS_ERROR, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.run.model import Compile, CompiledCall, Frame, Process

_LIMIT = "recompile_limit"
# Fewer steps than this say nothing; of more, the nearest to the limit are looked at.
_ENOUGH = 3
_STEPS = 200


@dataclass(frozen=True, slots=True)
class RecompileLimit:
    """A function that has run uncompiled since ``given_up``, the compile that Dynamo gave up.

    ``name`` is the setting (``recompile_limit``, ``accumulated_recompile_limit``), ``value`` what
    it was set to: as many versions of the code exist. ``step`` counts the backwards (or steps that
    have a name) that began before, ``into_run`` the seconds; each None where the log does not say.
    ``before`` and ``after`` are the seconds of a step or a call (``per``) in which nothing was
    compiled: the median of at least three, else None. ``thread`` is the one that compiled, None for
    the main one; ``set_elsewhere`` is a higher limit of the main one, which did not hold there.
    Where a limit is an error, nothing runs since: ``given_up`` is then the compile that raised.
    """

    given_up: Compile
    name: str
    step: int | None
    into_run: float | None
    before: float | None
    after: float | None
    per: Literal["step", "call"] = "step"
    value: int | None = None
    thread: str | None = None
    set_elsewhere: int | None = None

    @property
    def location(self) -> Frame | None:
        """Return the function."""
        return self.given_up.location

    @property
    def slowdown(self) -> float | None:
        """Return how many times as long a step takes since; None if either time is unknown."""
        return self.after / self.before if self.before and self.after else None


def recompile_limits(process: Process) -> tuple[RecompileLimit, ...]:
    """Find the limits that the functions of a process hit, in the order of the log.

    One that was an error (`Compile.failed`) leaves no function to Python.
    """
    found = [
        compiled
        for compiled in process.compiles
        if compiled.is_refused and not (compiled.internal or compiled.failed)
    ]
    if not found:
        return ()
    starts = step_starts(process)
    steps = tuple(_without_a_compile(starts, process.compiles))
    return tuple(_described(compiled, process, starts, steps) for compiled in found)


def limit_errors(process: Process) -> tuple[RecompileLimit, ...]:
    """Find the limits that were errors, in the order of the log."""
    return tuple(
        _described(compiled, process, (), ())
        for compiled in process.compiles
        if compiled.fail_type == LIMIT_IS_ERROR and not compiled.internal
    )


def _described(
    compiled: Compile,
    process: Process,
    starts: Sequence[float],
    steps: Sequence[tuple[float, float]],
) -> RecompileLimit:
    refused = refusal(compiled.fail_reason or "")
    at = compiled.time
    per: Literal["step", "call"] = "step"
    step = into_run = before = after = None
    if at is not None:
        step = bisect_left(starts, at) if starts else None
        begin = process.start
        into_run = at - begin if begin is not None and at > begin else None
        if starts:
            before = _usual(step for step in reversed(steps) if step[0] < at)
            after = _usual(step for step in steps if step[0] >= at)
        else:
            per = "call"
            before, after = _calls_around(at, process)
    setting = _LIMIT if refused is None else refused.setting
    value = None if refused is None else refused.limit
    if setting == _LIMIT:
        value = value or compiled.settings.recompile_limit
    thread = None if compiled.held is None else compiled.held.thread
    of_main = None if process.end is None else process.end.recompile_limit
    is_set = setting == _LIMIT and value is not None and (of_main or 0) > value
    is_elsewhere = thread is not None and is_set
    return RecompileLimit(
        compiled, setting, step, into_run, before, after, per, value,
        thread=thread, set_elsewhere=of_main if is_elsewhere else None,
    )  # fmt: skip


def _calls_around(at: float, process: Process) -> tuple[float | None, float | None]:
    """Return the seconds of a call before and since; None of too few.

    They are calls of what was called at ``at``. Those that compiled anything are left out: their
    seconds are nearly all compiling, and what is left of them is not the call's.
    """
    called = next((one for one in process.calls if one.time <= at <= one.time + one.seconds), None)
    if called is None:
        return None, None
    compiled = sorted(found.time for found in process.compiles if found.time is not None)
    calls = [
        one
        for one in process.calls
        if one.callable == called.callable and not _any_within(compiled, one)
    ]
    before = [one.seconds for one in calls if one.time < at][-_STEPS:]
    after = [one.seconds for one in calls if one.time > at][:_STEPS]
    return (
        median(before) if len(before) >= _ENOUGH else None,
        median(after) if len(after) >= _ENOUGH else None,
    )


def _any_within(moments: Sequence[float], call: CompiledCall) -> bool:
    position = bisect_left(moments, call.time)
    return position < len(moments) and moments[position] <= call.time + call.seconds


def _usual(steps: Iterable[tuple[float, float]]) -> float | None:
    """Return the median of the first steps; None of too few."""
    near = [seconds for _, seconds in islice(steps, _STEPS)]
    return median(near) if len(near) >= _ENOUGH else None


def step_starts(process: Process) -> Sequence[float]:
    rows = process.backwards
    return sorted((*(rows.start if rows is not None else ()), *(process.step_starts or ())))


def _without_a_compile(
    starts: Sequence[float], compiles: Iterable[Compile]
) -> Iterator[tuple[float, float]]:
    """Yield the begin and the seconds of each step in which nothing was compiled.

    What is left of the others without the compiles is no step: guards are checked, graphs are run
    for the first time, memory is given back.
    """
    moments = sorted(found.time for found in compiles if found.time is not None)
    for start, following in pairwise(starts):
        position = bisect_left(moments, start)
        if position == len(moments) or moments[position] >= following:
            yield start, following - start
