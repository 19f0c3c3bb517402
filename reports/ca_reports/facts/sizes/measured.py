"""Plans that short runs of the program tried: what they found, beside what was reckoned."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.schema import TriedSizesSetting
from ca_reports.facts.sizes.costs import Range
from ca_reports.facts.sizes.plans import Measurement, ranked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan, PlanKind
    from ca_reports.run.model import Run, Trial

# So many of the best plans are tried.
MOST = 3
# Steps without a compile that a mean needs.
_FEWEST = 3


def chosen(found: FunctionPlans) -> tuple[int, ...]:
    """Return the places of the plans to try: the best of the three kinds that are best.

    And what is done now, by which the others are held: the machine may be busier than it was.
    """
    kinds = dict.fromkeys(_same(plan.kind) for plan in found.plans)
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
    how = {"as_is": "", "dynamic": "dynamic", "mark_dynamic": "mark", "mark_unbacked": "unbacked"}
    place = function.location
    way = how.get(plan.kind, "pad")
    if not way or place is None:
        return ""
    asked: TriedSizesSetting = {
        "file": place.file,
        "function": place.function,
        "arguments": [list(argument) for argument in function.arguments],
        "how": way,  # type: ignore[typeddict-item]
        "sizes": [list(values) for values in plan.sizes],
    }
    return json.dumps(asked)


def measurement(run: Run, error: str | None = None) -> Measurement:
    """Read what a short run took; ``error`` is what it ended with, if it failed."""
    trial = next((found.trial for found in run.processes if found.trial is not None), None)
    if error is not None or trial is None:
        return Measurement(error=error or "no backward ran")
    steps = _steps(trial)
    if len(steps) < _FEWEST:
        return Measurement(error="too few steps without a compile")
    seconds = [found.seconds for found in run.compiles if found.seconds is not None]
    whole = trial.starts[-1] - trial.starts[0]
    # What was compiled before the first backward began is not among its steps.
    first = [
        found.seconds or 0.0
        for found in run.compiles
        if found.is_forward and found.compile_id.rpartition("/")[2] == "0"
    ]
    return Measurement(
        steps=len(trial.starts) - 1,
        compiles=sum(found.is_forward for found in run.compiles),
        compile_seconds=sum(seconds),
        step_seconds=sum(steps) / len(steps),
        total=whole + (first[0] if first else 0.0),
    )


def _steps(trial: Trial) -> list[float]:
    moments = list(zip(trial.starts, trial.compiles, strict=False))
    return [
        after - before
        for (before, compiled), (after, since) in pairwise(moments)
        if compiled == since
    ]


def with_measured(found: FunctionPlans, by_plan: Mapping[int, Measurement]) -> FunctionPlans:
    """Return the plans with what was measured, ranked again; ``by_plan`` is by their places.

    A short run may not meet every size: its compiles count for as many as the plan has. Plans that
    were not tried take as many times what was reckoned as what is done now took.
    """
    compiling_factor, step_factor = _factors(found, by_plan)
    plans = []
    for number, plan in enumerate(found.plans):
        measured = by_plan.get(number)
        if measured is None or measured.error is not None:
            seconds = plan.compile_seconds.times(compiling_factor)
            step = plan.step.times(step_factor)
            total = seconds + step.times(found.steps)
            plans.append(replace(plan, compile_seconds=seconds, step=step, total=total))
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
    tried = tuple((found.plans[at], measured) for at, measured in by_plan.items())
    return replace(found, plans=tuple(ranked(plans)), tried=tried)


def _factors(found: FunctionPlans, by_plan: Mapping[int, Measurement]) -> tuple[float, float]:
    """Return how much longer a compile and a step took by now than in the recorded run."""
    for number, plan in enumerate(found.plans):
        measured = by_plan.get(number)
        if plan.kind == "as_is" and measured is not None and measured.error is None:
            compiling = 1.0
            if measured.compiles and plan.compiles and plan.compile_seconds.likely:
                each = plan.compile_seconds.likely / plan.compiles
                compiling = measured.compile_seconds / measured.compiles / each
            return compiling, measured.step_seconds / plan.step.likely
    return 1.0, 1.0
