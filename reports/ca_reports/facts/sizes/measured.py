"""Plans that short runs of the program tried: what they found, beside what was reckoned."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import exp, log, sqrt
from statistics import mean, median
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_engine.schema import TriedSizesSetting
from ca_reports.facts.sizes.costs import LEAST_NOISE, Noise, Range, compile_seconds
from ca_reports.facts.sizes.plans import Measurement, Tried, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan, PlanKind
    from ca_reports.run.model import Run, Trial

# So many of the best plans are tried.
MOST = 3
# Steps without a compile that a mean needs.
_FEWEST = 3
# A step that took so many times as long as in the other rounds was held up by something else.
_HELD_UP = 1.5
# Student's t for 95%, by the degrees of freedom; of more the last one.
_T = (12.7, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


def chosen(found: FunctionPlans) -> tuple[int, ...]:
    """Return the places of the plans to try: the best of the three kinds that are best.

    And what is done now, by which the others are held: the machine may be busier than it was.
    Lowering is for `ca run --lowering` to show.
    """
    kinds = dict.fromkeys(_same(plan.kind) for plan in found.plans if plan.kind != "lowered")
    firsts = [
        next(at for at, plan in enumerate(found.plans) if _same(plan.kind) == kind)
        for kind in kinds
    ]
    now = [at for at, plan in enumerate(found.plans) if plan.kind == "as_is"]
    return tuple(dict.fromkeys([*firsts[:MOST], *now])) if firsts else ()


def _same(kind: PlanKind) -> str:
    """Return the kind, one for those that pad to several sizes, and one for any size."""
    if kind in ("buckets", "multiples"):
        return "buckets"
    return "dynamic" if kind in ("dynamic", "mark_dynamic", "mark_unbacked") else kind


def setting(plan: Plan, function: SizedFunction) -> str:
    """Return the setting under which the engine tries ``plan``; empty where it changes nothing."""
    how = {
        "as_is": "none", "dynamic": "dynamic", "mark_dynamic": "mark", "mark_unbacked": "unbacked",
    }  # fmt: skip
    place = function.location
    way = how.get(plan.kind, "pad")
    by_calls = not function.process.trains
    if place is None or (way == "none" and not by_calls):
        return ""
    asked: TriedSizesSetting = {
        "file": place.file,
        "function": place.function,
        "arguments": [list(argument) for argument in function.arguments],
        "how": way,  # type: ignore[typeddict-item]
        "sizes": [list(values) for values in plan.sizes],
        "calls": by_calls,
    }
    return json.dumps(asked)


def measurement(run: Run, error: str | None = None) -> Measurement:
    """Read what a short run took; ``error`` is what it ended with, if it failed."""
    trial = next((found.trial for found in run.processes if found.trial is not None), None)
    if error is not None or trial is None:
        return Measurement(error=error or "no step ran")
    each = _steps(trial) if trial.starts else _calls(trial)
    if len(each) - each.count(None) < _FEWEST:
        return Measurement(error="too few steps without a compile")
    compiles = [
        (found, compile_seconds(found, process))
        for process in run.processes
        for found in process.compiles
    ]
    # Of captured graphs the first one: each is code of its own.
    firsts = {
        (found.process, None if found.capture is not None else found.code_number): seconds
        for found, seconds in reversed(compiles)
    }
    whole = sum(trial.call_seconds)
    if trial.starts:
        # What was compiled before the first backward began is not among its steps.
        forward = next((seconds for found, seconds in compiles if found.is_forward), 0.0)
        whole = trial.starts[-1] - trial.starts[0] + forward
    return Measurement(
        compiles=sum(found.is_forward and not found.is_refused for found, _ in compiles),
        compile_seconds=sum(seconds for _, seconds in compiles),
        each=tuple(each),
        total=whole,
        first_seconds=sum(firsts.values()),
    )


def _steps(trial: Trial) -> list[float | None]:
    moments = list(zip(trial.starts, trial.compiles, strict=False))
    return [
        after - before if compiled == since else None
        for (before, compiled), (after, since) in pairwise(moments)
    ]


def _calls(trial: Trial) -> list[float | None]:
    compiled = zip((0, *trial.call_compiles), trial.call_compiles, strict=False)
    return [
        seconds if before == since else None
        for seconds, (before, since) in zip(trial.call_seconds, compiled, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class _Rounds:
    """The runs of one plan, of which none failed: one in each round."""

    runs: tuple[Measurement, ...]

    @property
    def uncompiled(self) -> set[int]:
        """Return the steps in which no run compiled anything."""
        length = min(len(run.each) for run in self.runs)
        return {at for at in range(length) if all(run.each[at] is not None for run in self.runs)}

    def steps(self, common: Sequence[int]) -> list[float]:
        """Return the mean of those steps in each round; what held one of them up is left out."""
        usual = {at: median(run.each[at] or 0.0 for run in self.runs) for at in common}
        return [
            mean(
                min(max(run.each[at] or 0.0, usual[at] / _HELD_UP), usual[at] * _HELD_UP)
                for at in common
            )
            for run in self.runs
        ]

    def compiling(self) -> list[float]:
        return [run.compile_seconds for run in self.runs]

    @property
    def first(self) -> float:
        """Return the seconds of the first compile."""
        return median(run.first_seconds for run in self.runs)


def with_measured(
    found: FunctionPlans, by_plan: Mapping[int, Sequence[Measurement]]
) -> FunctionPlans:
    """Return the plans with what was measured, ranked again; ``by_plan`` is by their places.

    The runs of a plan are held by what is done now, round by round and step by step, so that the
    machine's other work cancels out: both did it under the same, and its steps are of the same
    sizes. How much the rounds differ in that is the noise. A short run may not meet every size:
    its compiles count for as many as the plan has. Plans that were not tried, and what is told of
    those that were, take as many times what was reckoned as what is done now took.
    """
    rounds = {
        at: _Rounds(tuple(runs))
        for at, runs in by_plan.items()
        if runs and all(run.error is None for run in runs)
    }
    common = _common(rounds.values())
    if len(common) < _FEWEST:
        rounds = {}
    now = next((at for at in rounds if found.plans[at].kind == "as_is"), next(iter(rounds), None))
    if now is None:
        failed = (Tried(found.plans[at], error=_error(runs)) for at, runs in by_plan.items())
        return replace(found, tried=tuple(failed))
    steps = {
        at: _paired(one.steps(common), rounds[now].steps(common)) for at, one in rounds.items()
    }
    compiling = {
        at: _paired(one.compiling(), rounds[now].compiling()) for at, one in rounds.items()
    }
    noise = Noise(_noise(steps, now), _noise(compiling, now))
    pace = _pace(found.plans[now], rounds[now], compiling[now].seconds, steps[now].seconds)
    # A graph for any size is one, however it came to be asked for.
    for_any = next(
        (steps[at].seconds for at in rounds if _same(found.plans[at].kind) == "dynamic"), None
    )
    plans: list[Plan] = []
    tried: list[Tried] = []
    for at, plan in enumerate(found.plans):
        other = pace.of(plan, found.steps)
        if at not in rounds:
            if at in by_plan:
                tried.append(Tried(other, error=_error(by_plan[at])))
            elif for_any is not None and _same(plan.kind) == "dynamic":
                other = _with(other, other.compile_seconds, Range.exactly(for_any), found.steps)
            plans.append(other)
            continue
        first = rounds[at].runs[0]
        share = plan.compiles / first.compiles if first.compiles else 1.0
        seconds = Range.exactly(compiling[at].seconds * max(1.0, share))
        of_step = Range.exactly(steps[at].seconds)
        plans.append(replace(_with(plan, seconds, of_step, found.steps), was_tried=True))
        tried.append(
            Tried(
                other,
                len(first.each),
                first.compiles,
                compiling[at].seconds,
                steps[at].seconds,
                median(run.total for run in rounds[at].runs),
                noise=found.noise,
            )
        )
    return replace(
        found,
        plans=tuple(ranked(plans, noise, found.steps)),
        tried=tuple(tried),
        noise=noise,
    )


def _error(runs: Iterable[Measurement]) -> str:
    return next((run.error for run in runs if run.error is not None), "too few steps in common")


def _common(rounds: Iterable[_Rounds]) -> list[int]:
    """Return the steps in which no run compiled: they are of the same sizes in all plans."""
    every = [one.uncompiled for one in rounds]
    return sorted(set.intersection(*every)) if every else []


@dataclass(frozen=True, slots=True)
class _Paired:
    """Seconds of a plan, and the logarithms of how many times those of now they were, by round."""

    seconds: float
    logarithms: tuple[float, ...]


def _paired(own: Sequence[float], now: Sequence[float]) -> _Paired:
    """Hold seconds by those of now in the same round."""
    pairs = [(one, other) for one, other in zip(own, now, strict=False) if one > 0 and other > 0]
    if not pairs:
        return _Paired(median(own), ())
    logarithms = tuple(log(one / other) for one, other in pairs)
    return _Paired(median(now) * exp(median(logarithms)), logarithms)


def _noise(plans: Mapping[int, _Paired], now: int) -> float:
    """Return by which share two plans must differ, as their rounds differ, to be told apart."""
    squares, free = 0.0, 0
    rounds = 1
    for at, plan in plans.items():
        if at == now or len(plan.logarithms) < 2:
            continue
        middle = mean(plan.logarithms)
        squares += sum((one - middle) ** 2 for one in plan.logarithms)
        free += len(plan.logarithms) - 1
        rounds = len(plan.logarithms)
    if not free:
        return LEAST_NOISE
    error = sqrt(squares / free / rounds)
    return max(LEAST_NOISE, exp(_T[min(free, len(_T)) - 1] * error) - 1)


class _Pace(NamedTuple):
    """Says how many times as long all took as was reckoned, on the machine as it was then."""

    first: float
    later: float
    step: float

    def of(self, plan: Plan, steps: int) -> Plan:
        """Return a plan at this pace."""
        later = plan.compile_seconds + plan.first.times(-1.0)
        first = plan.first.times(self.first)
        seconds = first + later.times(self.later)
        return _with(replace(plan, first=first), seconds, plan.step.times(self.step), steps)


def _pace(now: Plan, rounds: _Rounds, compiling: float, step: float) -> _Pace:
    """Return the pace by what is done ``now``.

    The first compile has one of its own: it imports, and does once what others find done.
    """
    of_step = step / now.step.likely
    number, later = rounds.runs[0].compiles - 1, now.compile_seconds.likely - now.first.likely
    if number < 0 or not now.first.likely or not rounds.first:
        return _Pace(1.0, 1.0, of_step)
    first = rounds.first / now.first.likely
    if not number or now.compiles < 2 or later <= 0:
        return _Pace(first, first, of_step)
    each = max(0.0, compiling - rounds.first) / number
    return _Pace(first, each / (later / (now.compiles - 1)), of_step)


def _with(plan: Plan, seconds: Range, step: Range, steps: int) -> Plan:
    """Return a plan with other seconds of its compiles and of a step."""
    return replace(plan, compile_seconds=seconds, step=step, total=seconds + step.times(steps))
