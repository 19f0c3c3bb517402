"""Plans that short runs of the program tried: what they found, beside what was reckoned."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.schema import TriedSizesSetting
from ca_reports.facts.sizes.costs import Range, compile_seconds, trains
from ca_reports.facts.sizes.plans import Measurement, ranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan, PlanKind
    from ca_reports.run.model import Run, Trial

# So many of the best plans are tried.
MOST = 3
# So many times as long two runs of one program may take on a machine that does other work, also
# without the time for which no core was free: caches are shared.
_NOISE = 1.3
# Steps without a compile that a mean needs.
_FEWEST = 3


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
    by_calls = not trains(function.process)
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
    steps = _steps(trial) if trial.starts else _calls(trial)
    if len(steps) < _FEWEST:
        return Measurement(error="too few steps without a compile")
    compiles = [
        (found, compile_seconds(found, process))
        for process in run.processes
        for found in process.compiles
    ]
    whole, number = sum(trial.call_seconds), len(trial.call_seconds)
    if trial.starts:
        # What was compiled before the first backward began is not among its steps.
        first = next(
            (
                seconds
                for found, seconds in compiles
                if found.is_forward and found.compile_id.rpartition("/")[2] == "0"
            ),
            0.0,
        )
        whole, number = trial.starts[-1] - trial.starts[0] + first, len(trial.starts) - 1
    return Measurement(
        steps=number,
        compiles=sum(found.is_forward and not found.is_refused for found, _ in compiles),
        compile_seconds=sum(seconds for _, seconds in compiles),
        step_seconds=sum(steps) / len(steps),
        total=whole,
    )


def _steps(trial: Trial) -> list[float]:
    moments = list(zip(trial.starts, trial.compiles, strict=False))
    return [
        after - before
        for (before, compiled), (after, since) in pairwise(moments)
        if compiled == since
    ]


def _calls(trial: Trial) -> list[float]:
    compiled = zip((0, *trial.call_compiles), trial.call_compiles, strict=False)
    return [
        seconds
        for seconds, (before, since) in zip(trial.call_seconds, compiled, strict=False)
        if before == since
    ]


def fastest(runs: Sequence[Measurement]) -> Measurement:
    """Return the least of each time that several runs of a plan took.

    What else a machine does makes a run longer and never shorter.
    """
    known = [one for one in runs if one.error is None]
    if not known:
        return runs[-1]
    return replace(
        known[0],
        compile_seconds=min(one.compile_seconds for one in known),
        step_seconds=min(one.step_seconds for one in known),
        total=min(one.total for one in known),
    )


def with_measured(found: FunctionPlans, by_plan: Mapping[int, Measurement]) -> FunctionPlans:
    """Return the plans with what was measured, ranked again; ``by_plan`` is by their places.

    A short run may not meet every size: its compiles count for as many as the plan has. Plans that
    were not tried take as many times what was reckoned as what is done now took; so do those in
    ``tried``, which tell what was reckoned beside what came of it.
    """
    compiling_factor, step_factor = _factors(found, by_plan)
    # A graph for any size is one, however it came to be asked for.
    for_any = next(
        (
            measured.step_seconds
            for at, measured in by_plan.items()
            if measured.error is None and _same(found.plans[at].kind) == "dynamic"
        ),
        None,
    )
    plans = []
    for number, plan in enumerate(found.plans):
        measured = by_plan.get(number)
        if measured is None or measured.error is not None:
            other = _at_pace(plan, compiling_factor, step_factor, found.steps)
            if for_any is not None and _same(plan.kind) == "dynamic":
                step = Range.exactly(for_any)
                total = other.compile_seconds + step.times(found.steps)
                other = replace(other, step=step, total=total)
            plans.append(other)
            continue
        share = plan.compiles / measured.compiles if measured.compiles else 1.0
        compiling = measured.compile_seconds * max(1.0, share)
        plans.append(
            replace(
                plan,
                compile_seconds=Range.exactly(compiling),
                step=Range.exactly(measured.step_seconds),
                total=Range.exactly(compiling + found.steps * measured.step_seconds),
                was_tried=True,
            )
        )
    tried = tuple(
        (
            plan
            if (plan := found.plans[at]).kind == "as_is"
            else _at_pace(plan, compiling_factor, step_factor, found.steps),
            measured,
        )
        for at, measured in by_plan.items()
    )
    return replace(found, plans=tuple(ranked(plans)), tried=tried)


def _at_pace(plan: Plan, compiling: float, step: float, steps: int) -> Plan:
    """Return a plan on a machine that is so many times slower than it was."""
    seconds, of_step = plan.compile_seconds.times(compiling), plan.step.times(step)
    return replace(
        plan, compile_seconds=seconds, step=of_step, total=seconds + of_step.times(steps)
    )


def _factors(found: FunctionPlans, by_plan: Mapping[int, Measurement]) -> tuple[float, float]:
    """Return how much longer a compile and a step took by now than in the recorded run.

    1 where that is no more than what two runs of one program differ by.
    """
    for number, plan in enumerate(found.plans):
        measured = by_plan.get(number)
        if plan.kind == "as_is" and measured is not None and measured.error is None:
            compiling = 1.0
            if measured.compiles and plan.compiles and plan.compile_seconds.likely:
                each = plan.compile_seconds.likely / plan.compiles
                compiling = measured.compile_seconds / measured.compiles / each
            return _beyond_noise(compiling), _beyond_noise(measured.step_seconds / plan.step.likely)
    return 1.0, 1.0


def _beyond_noise(factor: float) -> float:
    return 1.0 if 1 / _NOISE <= factor <= _NOISE else factor
