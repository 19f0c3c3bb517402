"""CA101."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import ShortBatch, Subject
from ca_reports.causes.located import batches
from ca_reports.causes.rules.base import PATTERN, Match, Rule, of_compiles
from ca_reports.causes.rules.size_advice import (
    MASKED,
    all_dynamic,
    drop_last,
    is_set_dynamic,
    lowered_sizes,
    mark_dynamic,
    together,
)
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.facts.short_batches import fits_loader
from ca_reports.facts.size_changes import is_of_size
from ca_reports.program.sizes import is_rest
from ca_reports.program.syntax import last_name
from ca_reports.run.model import Compile
from ca_reports.sentences.dynamic import in_words
from ca_reports.torchlib import loaders, shapes
from ca_reports.words.numbers import counted
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Edits, Remedy
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site

# Measured on torch 2.11 to 2.15: a size of 0 or 1 is a constant of the graph, however it is marked.
_ALONE = "a batch of 1 has a compile of its own, dynamic or not"
_SIZES_TOLD = 4
_OF_EVALUATION = "a short last batch of an evaluation"
_LEAVING: Edits = ("full_batches",)
_KEEPING: Edits = ("whole_evaluation",)
_FOR_ANY: Edits = ("any_size",)


class LastBatch(Rule):
    """The last batch of an epoch is smaller than the others.

    ## What it is

    The number of samples is not a multiple of the batch size, so the last batch of an epoch
    holds fewer. Its sizes are new to the backward.

    ## Why it costs

    Compiled autograd treats sizes as constants until one changes. The short batch is
    recaptured, now with its sizes as inputs; Dynamo compiles that graph for the short batch,
    and once more when the next epoch starts with a full one. So does a compiled forward.

    ## Example

        loader = DataLoader(data, batch_size=8)     # 22 samples: 8, 8, 6
        for inputs, labels in loader:
            backward(loss_of(model(inputs), labels))

    ## What to do

    Drop the short batch: `DataLoader(..., drop_last=True)`. If you need every sample, compile
    both the forward and the backward with `dynamic=True`; marking only the input as dynamic
    saves no capture. With lowering the backward is lowered once more, for the short batch, and
    that is cheaper than a graph for all sizes.

    Where an evaluation in whole batches of the same size ends in a short one, too, dropping the
    training's leaves the compile to that one: compile for any size instead.

    ## Measured

    With a compiled forward 2 captures, 3 compiles of captured graphs and 3 of the forward
    become 1, 1 and 2 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Sizes are recorded at captures and recompiles, not at hits. A `DataLoader` that a variable of
    the callers holds says how many samples its last batch has. Where none was seen, any smaller
    batch that lasts one step looks the same; so does a short batch in the very last step.
    Where no backward is captured there are no steps: any first dimension with two sizes, the
    smaller one second, is taken for a last batch.
    """

    code = "CA101"
    name = "last-batch"
    joined_by = "sizes"
    place = batches.last_batch
    edits = _LEAVING
    specificity = PATTERN + 4
    suggests_trial = "shapes"

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what makes the batches; of an evaluation no sample is to be left out."""
        batch = trail.finding.detail
        if site is None or not isinstance(batch, ShortBatch):
            return None
        if trail.compiles and all(one.is_of_evaluation for one in trail.compiles):
            return None
        told = _of_batches(site, batch, captured=bool(trail.captures))
        return None if told is None else trail.finding.remedy.instead(told)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.captures:
            yield from _of_forwards(facts)
            yield from _of_counts(facts)
            return
        changes = facts.short_batches
        if not changes:
            return
        first = changes[0]
        full, short = first.main
        loop = facts.loop_of(first.events[0])
        if loop is not None:
            at = f" at {loop.words}"
        else:
            at = f" at step {first.step}" if first.step is not None else ""
        back = ", and back" if any(found.main[1] > found.main[0] for found in changes) else ""
        # Rows of a view are no samples: their number says nothing to who reads it.
        what, samples = ("the batch", short) if first.own else (first.what, None)
        lowered = lowered_sizes(facts.process.captures)
        otherwise = all_dynamic(facts) if lowered is None else f"keep them: {lowered}"
        kind, edits = "a short last batch", _LEAVING
        detail = ShortBatch(samples, _if_needed(samples, otherwise))
        fix = f"pass drop_last=True to the DataLoader; {detail.keeping}"
        events = tuple(event for change in changes for event in change.events)
        if all(isinstance(event, Compile) and event.is_of_evaluation for event in events):
            kind, edits = _OF_EVALUATION, _KEEPING
            fix = _of_evaluation("compile the forward with dynamic=True", full, short)
        is_sure = facts.recorded and (len(changes) > 1 or fits_loader(first))
        yield Match(
            message=f"{what} shrank from {full} to {short}{at}{back}: {kind}",
            fix=fix,
            events=events,
            noticed_at=first.fact.line,
            evidence=tuple(change.fact.evidence for change in changes),
            confidence="high" if is_sure else "medium",
            group=f"{full}-{short}",
            count=1,
            edits=edits,
            subject=Subject(*first.variable, (full, short)),
            detail=detail,
            shows=is_of_size,
        )


def _of_forwards(facts: ProcessFacts) -> Iterator[Match]:
    """Forward that were recompiled for a smaller first dimension, which had two sizes."""
    for size in facts.input_sizes:
        if not size.is_short_batch or facts.unseen_versions(size.first.compiled):
            continue
        full, short = size.values[0]
        dynamic = mark_dynamic(size, facts)
        if is_set_dynamic(size):
            dynamic = f"pad that batch to {full} samples, {MASKED}: dynamic=True is set"
        what, edits = "a short last batch", _LEAVING
        keeping = _if_needed(short, dynamic)
        detail: ShortBatch | None = ShortBatch(short, keeping)
        fix = f"{drop_last(size.recompiles)}; {keeping}"
        if size.sizes_besides and short > 1 and not is_set_dynamic(size):
            edits, detail = _FOR_ANY, None
            others = first_few([str(one) for one in size.sizes_besides], _SIZES_TOLD)
            fix = f"{dynamic}; drop_last=True alone saves nothing, as batches of {others} come, too"
        if all(found.compiled.is_of_evaluation for found in size.own):
            what, edits = _OF_EVALUATION, _KEEPING
            fix = _of_evaluation(dynamic, full, short)
        yield Match(
            message=(
                f"the batch shrank from {full} to {short} (dimension 0 of "
                f"{in_words(size.source)}): {what}{_of_loader(size.own, full, short)}"
            ),
            fix=fix,
            events=tuple(found.compiled for found in size.own),
            noticed_at=compiled_line(size.first.compiled),
            evidence=tuple(found.evidence for found in size.recompiles),
            confidence="medium",
            group=f"{full}-{short}",
            edits=edits,
            subject=Subject(
                size.source, (0,), (full, short), together(size, facts.dynamic_dimensions)
            ),
            detail=detail,
        )


def _of_counts(facts: ProcessFacts) -> Iterator[Match]:
    """Match the samples that forwards are given, of a loader's whole batches and its last one."""
    for thing in facts.guarded:
        sizes = tuple(int(value) for value in thing.values if value.isdecimal())
        if thing.subject != "int" or len(sizes) != 2 or sizes[0] <= sizes[1]:
            continue
        full, short = sizes
        of_loader = _of_loader(thing.recompiles, full, short)
        if not of_loader:
            continue
        detail = ShortBatch(short, _if_needed(short, "compile with dynamic=True"))
        yield Match(
            message=f"the batch shrank from {full} to {short} (`{thing.ref}`): a short last batch"
            f"{of_loader}",
            fix=f"{drop_last(thing.recompiles)}; {detail.keeping}",
            **of_compiles(thing.recompiles, thing.location),
            group=f"{full}-{short}",
            subject=Subject(values=(full, short)),
            detail=detail,
        )


def _if_needed(short: int | None, dynamic: str) -> str:
    """Say how to keep the ``short`` batch's samples; None where its rows are no samples."""
    if short is None or short > 1:
        samples = "samples" if short is None else f"{short} samples"
        return f"if you need those {samples}, {dynamic}"
    return f"if you need that sample, pad its batch, {MASKED}: {_ALONE}"


def _of_evaluation(dynamic: str, full: int, short: int) -> str:
    """Say how to compile once for an evaluation, which needs the samples of its ``short`` batch."""
    keeping = dynamic if short > 1 else f"pad that batch to {full} samples, {MASKED}: {_ALONE}"
    return (
        f"{keeping}; drop_last=True would leave its {counted(short, 'sample')} out of "
        "what the evaluation says"
    )


def _of_loader(recompiles: Iterable[RecompileFacts], full: int, short: int) -> str:
    """Say how many samples leave that batch, where a loader was seen that they fit."""
    seen = {
        loader.samples
        for found in recompiles
        if found.compiled.held is not None
        for loader in found.compiled.held.loaders
        if loader.batch_size == full and loader.short_batch == short
    }
    return f" ({seen.pop()} samples in batches of {full})" if len(seen) == 1 else ""


def _of_batches(site: Site, batch: ShortBatch, *, captured: bool) -> str | None:
    node, rest = site.node, batch.keeping
    what = "both the forward and the backward " if captured else ""
    otherwise = f"if you need those samples, compile {what}with dynamic=True"
    if batch.samples == 1:
        otherwise = rest  # dynamic sizes do not help
    if isinstance(node, ast.Call) and last_name(node.func).endswith(("Arguments", "Config")):
        return f"set dataloader_drop_last=True in the {last_name(node.func)}; {otherwise}"
    if isinstance(node, ast.Call) and last_name(node.func) == "dict":
        return f"pass drop_last=True among these options of the loader; {rest}"
    if is_rest(site):
        return (
            f"`{last_name(node)}` is what the full batches leave over: do not give it, or fill it "
            f"up to the size of the others; {rest}"
        )
    if isinstance(node, ast.If):
        return (
            f"a batch is also given where `{ast.unparse(node.test)}` holds for another reason than "
            f"its length: give full ones only; {rest}"
        )
    if isinstance(node, ast.Call) and last_name(node.func) in shapes.SIZED:
        return (
            "make each batch of one size here: drop the smaller ones, or pad them, "
            f"{MASKED}; {rest}"
        )
    if isinstance(node, ast.Call) and last_name(node.func) not in (*loaders.BATCHING, *shapes.CUTS):
        reader = last_name(node.func)
        if not reader:  # one of several, by a key: `SAMPLERS[kind](rows)`
            made = ast.unparse(node.func)
            return f"pass drop_last=True to the loader that `{made}` makes; {rest}"
        return (
            f"the last batch that `{reader}` gives is short: skip it where the batches are made, "
            f"or give `{reader}` a size that divides the number of rows; {rest}"
        )
    is_cut = isinstance(node, ast.Subscript)
    if not is_cut and not (isinstance(node, ast.Call) and last_name(node.func) in shapes.CUTS):
        return None
    part = "slice" if is_cut else "piece"
    return (
        f"the batches are cut by hand, and the last {part} is short: cut a multiple of the batch "
        f"size (`n // size * size` samples) or drop that {part}; {otherwise}"
    )
