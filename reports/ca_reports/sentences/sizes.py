"""Words about the sizes of inputs, and about plans for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.sizes.plans import unclear
from ca_reports.sentences.compiles import is_unnamed
from ca_reports.sentences.dynamic import named
from ca_reports.sentences.places import PATH_WIDTH, run_cwd, shown_place
from ca_reports.sentences.processes import process_labels
from ca_reports.words.numbers import (
    counted,
    duration,
    fine_duration,
    fine_percent,
    joined,
    percent,
    times,
)
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.sizes.costs import Range, StepCosts
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan

_ARGUMENTS_TOLD = 4
_SIZES_TOLD = 6
# Where a library's loop calls the model: its own options for padding, and for less of it.
_OPTIONS = {
    "Transformers": '`pad_to_multiple_of=` of the data collator, or `padding="max_length"` where '
    'it has that; beside either, `train_sampling_strategy="group_by_length"` in the '
    "TrainingArguments (`group_by_length=True` before version 5) needs less padding; by itself, "
    "more lengths come",
    "TRL": "`pad_to_multiple_of=` in the SFTConfig; `packing=True` puts several texts into one row "
    "of one length",
    "Lightning": "the `collate_fn` and the `batch_sampler` of the DataLoader that "
    "`train_dataloader` returns",
    "Accelerate": "the `collate_fn` of the DataLoader that `prepare` is given",
}
# A plan that saves less than this share is not worth a change.
_WORTH = 0.01


def headline(found: RunSizes) -> str:
    """Say whether sizes vary, and what the best plan for the function that is called most saves."""
    if not found.is_counted:
        return "This run counted no sizes: record it with `ca run` (without --no-sizes)"
    if not found.functions:
        return "No compiled function was called with inputs of different sizes."
    first = found.functions[0]
    best, now = first.best, first.as_is
    what = arguments(first.function)
    if best is None or now is None:
        why = _without_plans(first)
        return f"{what} varied. {why}"
    saved, worth = now.total.likely - best.total.likely, _worth(first, now)
    if best is now or saved < worth:
        share = percent(worth / now.total.likely) if now.total.likely else percent(_WORTH)
        return f"{what} varied; nothing saves more than {share}: leave it as it is"
    about = "" if best.is_measured and now.is_measured else "about "
    lost = best.total.high - now.total.low
    unknown = f", or cost up to {duration(lost)} more: --measure tells" if lost > 0 else ""
    return (
        f"{what} varied; {plan_name(best)} would save {about}{duration(saved)} of "
        f"{duration(now.total.likely)} in {counted(first.steps, 'step')}{unknown}"
    )


def _worth(found: FunctionPlans, now: Plan) -> float:
    """Return the seconds that a plan must save to be worth a change, and to be told apart."""
    return max(now.total.likely * _WORTH, unclear(now, found.noise, found.steps))


def arguments(function: SizedFunction) -> str:
    """Return ``ids[1] = mask[1]`` and the like: what varies, what is always equal together."""
    return joined([argument(function, at) for at in range(len(function.arguments))])


def argument(function: SizedFunction, at: int) -> str:
    """Return ``ids[1], mask[1]``: one size that varies, by all names that it has."""
    names = [named(function.called(source), index) for source, index in function.arguments[at]]
    return first_few(names, _ARGUMENTS_TOLD)


def histogram_line(function: SizedFunction, at: int) -> str:
    """Say how many sizes an argument had, in which range, and which is the most common."""
    counts = function.histogram(at)
    common = max(counts, key=lambda size: counts[size])
    share = counts[common] / function.calls
    many = "at least " if function.left_out else ""
    rounded = "" if function.digits is None else ", rounded up"
    return (
        f"{argument(function, at)}: {many}{counted(len(counts), 'size')}{rounded}, "
        f"{min(counts)}–{max(counts)}; "
        f"{common} most often ({times(counts[common])}, {percent(share)})"
    )


def plan_name(plan: Plan) -> str:
    """Name a plan with its sizes: ``3 buckets (64, 128, 256)``."""
    match plan.kind:
        case "as_is":
            return "as it is"
        case "dynamic":
            return "dynamic=True"
        case "mark_dynamic":
            return "mark_dynamic"
        case "mark_unbacked":
            return "mark_unbacked"
        case "lowered":
            return "as it is, lowered"
        case "one_length":
            return f"one size ({sizes(plan)})"
        case "buckets":
            return f"{counted(len(plan.sizes), 'bucket')} ({sizes(plan)})"
        case "multiples":
            return f"multiples of {plan.multiple} ({sizes(plan)})"


def sizes(plan: Plan) -> str:
    """Return ``64, 128, 256``, or ``128×64, 256×256`` of several dimensions at once."""
    return first_few(["×".join(map(str, values)) for values in plan.sizes], _SIZES_TOLD)


def how(plan: Plan) -> str:
    """Say what to change for a plan."""
    match plan.kind:
        case "as_is":
            return "change nothing"
        case "dynamic":
            return "compile with dynamic=True"
        case "mark_dynamic":
            return "call torch._dynamo.mark_dynamic(tensor, dimension) before the first call"
        case "mark_unbacked":
            return (
                "call torch._dynamo.decorators.mark_unbacked(tensor, dimension), where no code "
                "decides by that size"
            )
        case "lowered":
            return (
                "lower the backward of each size: `ca run --lowering`, or `lowering=True` in "
                "`ca_engine.enable`"
            )
    limit = ""
    if plan.past_limit:
        limit = f" and torch._dynamo.config.recompile_limit = {plan.compiles}"
    static = "" if plan.compiles == 1 else f", and compile with dynamic=False{limit}"
    return f"pad each batch to the next of these sizes, with a mask{static}"


def seconds(found: Range) -> str:
    """Return ``41 s``, or ``41–52 s`` for a range."""
    return _span(duration(found.low), duration(found.high))


def step_seconds(found: Range) -> str:
    """Return the same of a step."""
    return _span(fine_duration(found.low), fine_duration(found.high))


def _span(low: str, high: str) -> str:
    """Return two times with one unit if they have the same."""
    if low == high:
        return low
    (number, _, unit), (_, _, same) = low.partition(" "), high.partition(" ")
    return f"{number}–{high}" if unit == same else f"{low}–{high}"


def padding(plan: Plan) -> str:
    """Return the share of what is computed that is padding; a dash where nothing is padded."""
    return fine_percent(round(plan.padding, 3)) if plan.sizes else "–"


def title(found: RunSizes, one: FunctionPlans, width: int = PATH_WIDTH) -> str:
    """Name a function, its line and how often it was called; the path in ``width`` characters.

    Of several processes also which of them called it.
    """
    place = one.function.location
    where = ""
    if place is not None:
        name = "a model" if is_unnamed(place) else place.function
        where = f"{name} {shown_place(place, run_cwd(found.run), width)}, "
    processes = process_labels(found.run)
    who = f"{processes[one.function.process.index]}: " if len(processes) > 1 else ""
    return f"{who}{where}{counted(one.function.calls, 'call')}"


def headings(found: FunctionPlans) -> tuple[str, ...]:
    """Return what the columns of a table of plans are called."""
    return (
        "Plan",
        "#",
        "Compiles",
        "Compiling",
        "Padding",
        "A step",
        counted(found.steps, "step"),
    )


def cells(plan: Plan) -> tuple[str, ...]:
    """Return the row of a plan in that table."""
    return (
        plan_name(plan),
        str(plan.rank),
        str(plan.compiles),
        seconds(plan.compile_seconds),
        padding(plan),
        step_seconds(plan.step),
        seconds(plan.total),
    )


def shown(found: FunctionPlans, most: int) -> list[Plan]:
    """Return the best plans, with what happens now and the best of each kind among them."""
    chosen = list(found.plans[:most])
    for plan in found.plans[most:]:
        if all(plan.kind != other.kind for other in chosen):
            chosen.append(plan)
    return chosen


def notes(found: FunctionPlans) -> Iterator[str]:
    """Say what was not measured, and what a plan takes besides."""
    costs = found.step_costs
    if costs is None or not found.plans:
        yield _without_plans(found)
        return
    if not costs.is_known:
        yield "Steps of one size only were timed: what padding costs is unknown."
    if not found.tried:
        yield _slower_steps(costs)
    if len({plan.rank for plan in found.plans}) < len(found.plans):
        yield _alike(found)
    for tried in found.tried:
        name = plan_name(tried.plan)
        if tried.error is not None:
            yield f"{name}: could not be measured: {tried.error}"
            continue
        yield (
            f"{name}: {counted(tried.steps, 'step')} took {duration(tried.total)}; "
            f"{seconds(tried.reckoned)} was reckoned."
        )
    library = found.function.library
    if library in _OPTIONS and len(found.function.counts) > 1:
        yield f"{library} calls it: {_OPTIONS[library]}."
    eager = found.function.eager_calls
    if eager:
        yield (
            f"{counted(eager, 'call')} ran uncompiled, past the recompile limit: `as it is` has "
            "them as they ran."
        )
    left_out = found.function.left_out
    if left_out:
        yield f"{counted(left_out, 'call')} of still other sizes are left out."


def _alike(found: FunctionPlans) -> str:
    """Say by how much plans differ that share a rank."""
    noise = found.noise
    of_compiles = f", and compiles {fine_percent(noise.compiling)}"
    return (
        "Plans of one rank (#) are not told apart: the measured steps are off by up to "
        f"{fine_percent(noise.step)}{'' if noise.compiling == noise.step else of_compiles}."
    )


def _without_plans(found: FunctionPlans) -> str:
    """Say why no plan was reckoned."""
    if found.function.misses_calls:
        return (
            "The recompile limit was reached: calls that Python ran since then are not counted. "
            "Raise torch._dynamo.config.recompile_limit, and record the run again."
        )
    what = "step" if found.step_costs is None else "compile"
    return f"No {what} was timed: no plan can be reckoned."


def _slower_steps(costs: StepCosts) -> str:
    """Say how much longer a step takes on a graph for any size, and whether that was measured."""
    low, likely, high = costs.slower
    if not costs.is_compared:
        return (
            "Not measured: how much longer a step takes on a graph for any size; "
            f"from {percent(1 - low)} less to {percent(high - 1)} more is assumed (ca sizes "
            "--measure)."
        )
    if abs(likely - 1) < _WORTH:
        return "Measured: a step takes as long on a graph for any size."
    what = "longer" if likely > 1 else "less"
    return f"Measured: a step on a graph for any size takes {percent(abs(likely - 1))} {what}."


def advice(found: FunctionPlans) -> str:
    """Compare the best way to pad with one graph for any size, in one sentence.

    ``3 buckets (64, 128, 256): 3 compiles, 7% padding, 41 s less than now over 10,000 steps;
    dynamic: 1 compile, steps 4% slower``. Empty where no plan was reckoned.
    """
    now = found.as_is
    if now is None:
        return ""
    padded = found.padded
    parts = []
    if padded is not None:
        parts.append(
            f"{plan_name(padded)}: {counted(padded.compiles, 'compile')}, {padding(padded)} "
            f"padding, {compared(padded, now, found)}"
        )
    dynamic = found.dynamic
    if dynamic is not None:
        slower = _slower(found)
        parts.append(
            f"{plan_name(dynamic)}: {counted(dynamic.compiles, 'compile')}{slower}, "
            f"{compared(dynamic, now, found)}"
        )
    if (
        padded is not None
        and dynamic is not None
        and found.plans.index(dynamic) < (found.plans.index(padded))
    ):
        parts.reverse()
    return "; ".join(parts)


def _slower(found: FunctionPlans) -> str:
    costs = found.step_costs
    if costs is None or not costs.is_compared:
        return ""
    slower = costs.slower.likely - 1
    return f", steps {percent(abs(slower))} {'slower' if slower >= 0 else 'faster'}"


def compared(plan: Plan, now: Plan, found: FunctionPlans) -> str:
    """Return ``41 s less than now over 10,000 steps``."""
    steps = found.steps
    difference = plan.total.likely - now.total.likely
    if abs(difference) < _worth(found, now):
        return f"as fast as now over {counted(steps, 'step')}"
    about = "" if plan.is_measured and now.is_measured else "about "
    than = "less" if difference < 0 else "more"
    return f"{about}{duration(abs(difference))} {than} than now over {counted(steps, 'step')}"
