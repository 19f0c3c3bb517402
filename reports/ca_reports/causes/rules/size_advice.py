"""Advice on sizes of a forward's inputs, also where a library's trainer makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.schema import MOST_LOWERED_SIZES
from ca_reports.causes.findings import SizeChoice
from ca_reports.facts import torch_costs
from ca_reports.facts.dynamic_shapes import stays_static
from ca_reports.facts.guard_paths import guard_path, referring
from ca_reports.sentences.dynamic import marked, marking
from ca_reports.torchlib import loaders
from ca_reports.words.numbers import agreeing, counted, duration, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.sizes.plans import FunctionPlans, Plan
    from ca_reports.run.model import Capture

# Where a program that a library trains pads its batches.
_WHERE_PADDED = {
    "TRL": " in the data collator (`pad_to_multiple_of` in the SFTConfig leaves a few lengths)",
    "Lightning": " in the `collate_fn` of the DataLoader that `train_dataloader` returns",
    "Accelerate": " in the `collate_fn` of the DataLoader that `prepare` is given",
}
# Padding is right only where what is added takes no part: a mean over it, say, is another one.
MASKED = "with a mask, or the results change"


def drop_last(recompiles: Iterable[RecompileFacts]) -> str:
    """Say how to leave the short last batch out."""
    if is_transformers(recompiles):
        return "set dataloader_drop_last=True in the TrainingArguments"
    return "pass drop_last=True to the DataLoader"


def pad(size: InputSize) -> str:
    """Say how to give inputs one length, which is no shorter than the largest that was seen.

    Sizes are seen at compiles only: longer ones may have come after a limit, or after the compile
    that made them dynamic.
    """
    if _library(size.recompiles) == "Transformers":
        return (
            "pad in the data collator to one length (padding='max_length'; pad_to_multiple_of "
            f"leaves a few; at least {size.largest}), {MASKED}"
        )
    where = _WHERE_PADDED.get(_library(size.recompiles) or "", "")
    return f"pad{where} to one length (at least {size.largest}), {MASKED}"


def _library(recompiles: Iterable[RecompileFacts]) -> str | None:
    return loaders.library_of(frame.file for one in recompiles for frame in one.compiled.stack)


def planned(size: InputSize, facts: ProcessFacts) -> FunctionPlans | None:
    """Find the plans for a size; None where its calls were not counted, or nothing was timed."""
    code = size.first.compiled.code_number
    return planned_for(size.source, size.dimensions, facts, code)


def planned_for(
    source: str, dimensions: Iterable[int], facts: ProcessFacts, code: str | None = None
) -> FunctionPlans | None:
    """Find the plans for dimensions of a tensor that the program calls ``source``.

    Those of the function with Dynamo's number ``code``; without, of any.
    """
    own = {(source, index) for index in dimensions}
    return next(
        (
            found
            for found in facts.size_plans
            if found.plans
            and (code is None or code in found.function.codes)
            and any(not own.isdisjoint(argument) for argument in found.function.arguments)
        ),
        None,
    )


def choice(plans: FunctionPlans | None) -> SizeChoice | None:
    """Return what the best of ``plans`` does: pad, where that is better whatever is unknown."""
    best = None if plans is None else plans.best
    if plans is None or best is None:
        return None
    other = plans.dynamic
    is_better = other is None or best.total.high < other.total.low
    if not best.sizes or len(plans.function.arguments) > 1 or not is_better:
        return SizeChoice(pads=False, saves=None if other is None else _saved(plans, other))
    sizes = tuple(size for (size,) in best.sizes)
    return SizeChoice(True, sizes, best.multiple, _saved(plans, best))


def _saved(plans: FunctionPlans, plan: Plan) -> float | None:
    """Return what a plan would have saved in this run; None if its steps were not measured."""
    now, costs = plans.as_is, plans.compile_costs
    if now is None or costs is None or not (plan.step.is_exact and now.step.is_exact):
        return None
    calls = plans.function.calls
    return max(0.0, costs.now + now.step.likely * calls - plan.seconds(calls).likely)


def unbacked(source: str, dimension: int, beside: Iterable[tuple[str, int]] = ()) -> str:
    """Say how one graph serves the sizes 0 and 1 as well as all others.

    ``beside`` are the dimensions of other arguments that always have that size: one of them that is
    not marked keeps it a constant.
    """
    named = [f"dimension {at} of `{referring(name)}`" for name, at in beside if name != source]
    others = (
        f" and {joined(named)} the same way, of that size (with one `shape_id`, in torch 2.13),"
        if named
        else ""
    )
    return (
        f"call `torch._dynamo.decorators.mark_unbacked({marked(source)}, {dimension})` before "
        f"it,{others} where the code does not decide by that size: one graph then serves 0, 1 and "
        "all others, which dynamic=True does not do"
    )


def needs_number(size: InputSize) -> bool:
    """Return whether a size stayed static once it varied."""
    compiles = [found.compiled for found in size.own]
    is_one = len(size.dimensions) == 1  # of several each is static until it varies, too
    return is_one and len(compiles) > 1 and stays_static(size.source, size.dimensions, compiles)


def is_set_dynamic(size: InputSize) -> bool:
    """Return whether dynamic=True was in force in each of its compiles: nothing to advise."""
    return bool(size.own) and all(one.compiled.settings.sizes == "dynamic" for one in size.own)


def mark_dynamic(size: InputSize, facts: ProcessFacts) -> str:
    """Say how to make a size dynamic from the first call.

    Those of other arguments that always have the same size must be marked with it, and every other
    dimension that varies, which torch's reasons alone do not tell. What is marked
    for one compiled function is static again in another that takes what the first returns.
    """
    taking = {
        found.compiled.function
        for one in facts.input_sizes
        if one is size or not set(one.values).isdisjoint(size.values)
        for found in one.own
    }
    if not size.dimensions or len(taking) > 1 or guard_path(size.source).is_on_stack:
        return "compile with dynamic=True"
    own = [(size.source, index) for index in size.dimensions]
    marked = [*own, *together(size, facts.dynamic_dimensions)]
    if _others_vary(size, marked, facts.dynamic_dimensions):
        return "compile with dynamic=True"
    if size.is_told_by_reasons:
        return (
            f"compile with dynamic=True, or call {marking(marked)} before the first forward (if no "
            "other dimension varies with it: a reason names the first)"
        )
    return f"call {marking(marked)} before the first forward, or compile with dynamic=True"


def _others_vary(
    size: InputSize, marked: Sequence[tuple[str, int]], dimensions: Iterable[DynamicDimension]
) -> bool:
    """Return whether other dimensions of the same call vary by themselves: edges beside nodes."""
    code = size.first.compiled
    return any(
        found.process == code.process
        and found.location == code.location
        and (found.source, found.index) not in marked
        and not found.from_start
        and len(found.sizes) > 1
        for found in dimensions
    )


def together(
    size: InputSize, dimensions: Iterable[DynamicDimension]
) -> tuple[tuple[str, int], ...]:
    """Find the dimensions of other arguments that always had a size of these, in that order."""
    own = {(size.source, index) for index in size.dimensions}
    alike = (
        one for found in dimensions if (found.source, found.index) in own for one in found.together
    )
    return tuple(one for one in dict.fromkeys(alike) if one not in own)


def all_dynamic(facts: ProcessFacts) -> str:
    """Say what a backward with varying sizes has to be compiled with: the forward too, if one is.

    A forward that stays static has an AOT backward of its own for each size.
    """
    is_known = "compiles" in facts.process.holds
    if is_known and not any(one.is_forward for one in facts.process.compiles):
        return "compile the backward with dynamic=True"
    return "compile both the forward and the backward with dynamic=True"


def lowered_sizes(captures: Iterable[Capture]) -> str | None:
    """Say what each size costs where graphs are lowered for it; None where none was.

    ``lowered, each of 3 sizes cost 0.12 s, and dynamic=True would cost about 5.4 s once``.
    """
    found = [each for each in captures if each.lowering is not None and each.lowering.size_sets]
    lowered = [each.lowering for each in found if each.lowering is not None]
    estimate = torch_costs.dynamic(found)
    if not lowered or estimate is None:
        return None
    sets = max(each.size_sets for each in lowered)
    seconds = sum((each.seconds or 0.0) / each.size_sets for each in lowered)
    if any(each.reason == "many_sizes" for each in lowered):
        most = MOST_LOWERED_SIZES.get(lowered[0].backend or "", sets)
        stopped = f"lowering stopped at {counted(most, 'size')}"
        return f"{stopped}, and Dynamo compiled a graph for all others"
    each_of = agreeing(sets, "the size", f"each of {counted(sets, 'size')}")
    return (
        f"lowered, {each_of} cost {duration(seconds)}, where a graph for all sizes would cost "
        f"about {duration(estimate.seconds)}"
    )


def is_transformers(recompiles: Iterable[RecompileFacts]) -> bool:
    """Return whether a Trainer of Transformers calls the forward."""
    return loaders.is_transformers(
        frame.file for found in recompiles for frame in found.compiled.stack
    )
