"""``ca sizes --format json``: keys are stable, new ones may be added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.output import json
from ca_reports.sentences import sizes as words
from ca_reports.sentences.dynamic import named
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.facts.sizes.costs import Range
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan


def render(found: RunSizes) -> str:
    """Return one JSON object, indented by two, ending in a newline."""
    return json_text(document(found))


def document(found: RunSizes) -> dict[str, Any]:
    """Return the object itself. Null stands for what the logs do not tell."""
    return {
        "schema_version": json.FORMAT_VERSION,
        "generator": "ca",
        "run": list(found.run.paths),
        "headline": words.headline(found),
        "is_counted": found.is_counted,
        "functions": [_function(one) for one in found.functions],
    }


def _function(one: FunctionPlans) -> dict[str, Any]:
    function, place, costs = one.function, one.function.location, one.step_costs
    return {
        "process": function.process.index,
        "file": None if place is None else place.file,
        "line": None if place is None else place.line,
        "function": None if place is None else place.function,
        "calls": function.calls,
        "steps": one.steps,
        "setting": one.setting,
        "arguments": [
            {
                "name": function.called(dimensions[0][0]),
                "dimension": dimensions[0][1],
                "also": [named(function.called(source), index) for source, index in dimensions[1:]],
                "histogram": [
                    {"size": size, "calls": calls} for size, calls in function.histogram(at).items()
                ],
            }
            for at, dimensions in enumerate(function.arguments)
        ],
        "is_rounded": function.digits is not None,
        "calls_left_out": function.left_out,
        "eager_calls": function.eager_calls,
        "dynamic_step_factor": None if costs is None else _range(costs.slower),
        "noise": {"step": one.noise.step, "compile": one.noise.compiling},
        "plans": [_plan(plan) for plan in one.plans],
        "tried": [
            {
                "name": words.plan_name(tried.plan),
                "kind": tried.plan.kind,
                "steps": tried.steps,
                "compiles": tried.compiles,
                "compile_seconds": tried.compile_seconds,
                "step_seconds": tried.step_seconds,
                "total_seconds": tried.total,
                "reckoned_seconds": tried.reckoned.likely,
                "reckoned_seconds_range": _range(tried.reckoned),
                "error": tried.error,
            }
            for tried in one.tried
        ],
        "notes": list(words.notes(one)),
    }


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "rank": plan.rank,
        "kind": plan.kind,
        "name": words.plan_name(plan),
        "how": words.how(plan),
        "sizes": [values[0] if len(values) == 1 else list(values) for values in plan.sizes],
        "multiple": plan.multiple,
        "compiles": plan.compiles,
        "compile_seconds": plan.compile_seconds.likely,
        "compile_seconds_range": _range(plan.compile_seconds),
        "padding": plan.padding,
        "step_seconds": plan.step.likely,
        "step_seconds_range": _range(plan.step),
        "total_seconds": plan.total.likely,
        "total_seconds_range": _range(plan.total),
        "measured": plan.is_measured,
        "was_tried": plan.was_tried,
        "past_recompile_limit": plan.past_limit,
    }


def _range(found: Range) -> list[float]:
    return [found.low, found.high]
