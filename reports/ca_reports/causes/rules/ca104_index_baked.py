"""CA104."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import BakedIndex
from ca_reports.causes.located import batches
from ca_reports.causes.rules.base import (
    PATTERN,
    SPECIFIC,
    Match,
    Rule,
    of_captures,
    of_recompiles,
)
from ca_reports.causes.rules.structure import (
    compared,
    forward_line,
    is_whole_slice,
    makes_other_nodes,
)
from ca_reports.facts.graphs.parse import parse
from ca_reports.facts.graphs.size_uses import taken_as_a_number
from ca_reports.facts.shape_numbers import value_pairs
from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.graphs.fx import FxNode
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, EventKey

# Nodes that save an int of the user's, and how the call is written.
_CALLS = {
    "Select": "x[i]",
    "Slice": "x[i:j]",
    "Narrow": "x.narrow",
    "Roll": "x.roll",
    "Tril": "x.tril",
    "Triu": "x.triu",
    "Diagonal": "x.diagonal",
    "AsStrided": "x.as_strided",
    "ConstantPadNd": "F.pad",
}
_INDICES = frozenset(
    (
        "index",
        "start",
        "end",
        "length",
        "step",
        "shifts",
        "diagonal",
        "offset",
        "pad",
        "k",
        "storage_offset",
    )
)


class IndexBaked(Rule):
    """An index, a slice bound or a shift is a Python int, and it changes.

    ## What it is

    `w[i]`, `w[:n]`, `w.roll(k)` or `w.tril(d)` with an int that varies from step to step. The
    backward node saves it.

    ## Why it costs

    The int is part of compiled autograd's key. The second value forces a new capture, in which
    it becomes an input; Dynamo then compiles that graph once or twice, and for 0 and 1 apart.

    ## Example

        for row in order:
            backward(head(table[row]).sum())

    ## What to do

    Pass the index as a tensor to `index_select`; `w[torch.tensor(i)]` is not enough: torch
    turns it back into an int. For slices and shifts: a mask, or `gather` with a tensor.

    ## Measured

    2 captures and 3 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Where the slice follows the length of its input, the length is the cause; then this is not
    reported, or only mentioned under CA102.
    """

    code = "CA104"
    name = "index-baked"
    place = batches.index
    edits = ("batch_of_rows",)
    specificity = SPECIFIC
    located_in_forward = True
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        claimed: set[EventKey] = set()
        groups: dict[tuple[str, str], list[tuple[CaptureFacts, Change]]] = {}
        for recapture in facts.recaptures:
            change = _index_change(recapture)
            if change is not None:
                key = (change.name, change.attribute)
                groups.setdefault(key, []).append((recapture, change))
        for (name, attribute), found in groups.items():
            captures = [recapture for recapture, _ in found]
            own = {recapture.capture.id for recapture in captures}
            recompiled = tuple(
                recompile.compiled
                for recompile in facts.graph_recompiles
                if recompile.compiled.capture in own
                and (_index_taker(recompile) or recompile.guard.kind in ("size", "type"))
            )
            is_zero_one = any(
                recompile.compiled in recompiled and is_zero_one_guard(recompile.guard)
                for recompile in facts.graph_recompiles
            )
            claimed.update(compiled.key for compiled in recompiled)
            first = found[0][1]
            node = name.rsplit("::", 1)[-1]
            call = _call(name)
            yield Match(
                message=(
                    f"{node} bakes in its {attribute}, which changed: "
                    f"{first.before} → {first.after}"
                ),
                fix=(
                    f"the `{attribute}` of `{call}` is a Python int: pass a tensor to "
                    "`index_select` or `gather`, or use a mask (`x[torch.tensor(i)]` does not help)"
                ),
                **of_captures(captures, more=recompiled),
                location=next((change.forward for _, change in found if change.forward), None),
                key=f"{node}.{attribute}",
                detail=_detail(node),
                specificity=PATTERN + (3 if is_zero_one else 1),
            )
        whole = _whole_slices(facts)
        if whole is not None:
            claimed.update(event.key for event in whole.events)
            yield whole
        yield from _of_zero_and_one(facts, claimed)


def _whole_slices(facts: ProcessFacts) -> Match | None:
    """Match slices that take all of their tensor in some backwards, of inputs that stay."""
    captures = [
        found
        for found in compared(facts)
        if is_whole_slice(found, resized=False)
        or (is_whole_slice(found, resized=True) and not facts.size_changes)
    ]
    if not captures:
        return None
    ids = {id for found in captures for id in (found.capture.id, found.capture.closest_capture)}
    resized = [
        recompile
        for recompile in facts.graph_recompiles
        if recompile.compiled.capture in ids and recompile.guard.kind == "size"
    ]
    return Match(
        message=(
            "`x[i:j]` has a bound that changes: all of the tensor in some backwards "
            "(AliasBackward0), a part of it in others (SliceBackward0)"
        ),
        fix=(
            "the bound is a Python int: keep the whole and mask what a step does not use "
            "(`x * (torch.arange(size) < n)` with `n` a tensor), or use one bound; bounds that "
            "never reach the whole leave one capture, which dynamic=True compiles once"
        ),
        **of_captures(captures, more=tuple(found.compiled for found in resized)),
        location=forward_line(captures, lambda change: change.attribute == "node"),
        key="slice bound",
        detail=BakedIndex("slice"),
        specificity=PATTERN + 1,
        explains=makes_other_nodes,
    )


def _of_zero_and_one(facts: ProcessFacts, claimed: Collection[EventKey]) -> Iterator[Match]:
    """Match recompiles of a captured graph for an int of 0 or 1, which is an input of it."""
    groups: dict[tuple[int, str], list[RecompileFacts]] = {}
    for recompile in facts.graph_recompiles:
        if recompile.compiled.key in claimed:
            continue
        if recompile.capture is not None and _index_taker(recompile) is not None:
            key = (recompile.capture.capture.id, recompile.guard.source)
            groups.setdefault(key, []).append(recompile)
    for group in groups.values():
        taker, capture = _index_taker(group[0]), group[0].capture
        if taker is None or capture is None:
            continue
        call = _call(taker.target)
        line = None if taker.origin is None else capture.capture.lines.get(taker.origin.index)
        yield Match(
            message=(
                f"the Python int in `{call}` is an input of the captured graph, and 0 and 1 are "
                f"compiled apart: {counted(len(group), 'recompile')} of it"
            ),
            fix=(
                f"the int in `{call}` is a Python number: pass a tensor to `index_select` or "
                "`gather`, or start indices at 2"
            ),
            **of_recompiles(group, group[0].line),
            location=line,
            key=f"{taker.target} 0 or 1",
            detail=_detail(taker.target),
            specificity=PATTERN + 3,
        )


def _detail(node: str) -> BakedIndex:
    if "slice" in node.lower():
        return BakedIndex("slice")
    return BakedIndex("index" if "Select" in node else "other")


def _index_taker(recompile: RecompileFacts) -> FxNode | None:
    """Return the operation whose int was 0 or 1, if that is an index, a bound or a shift."""
    graph = None if recompile.capture is None else recompile.capture.capture.graph
    if graph is None or not is_zero_one_guard(recompile.guard):
        return None
    taker = taken_as_a_number(parse(graph.text), recompile.guard.source)
    return taker if taker is not None and taker.target.startswith(tuple(_CALLS)) else None


def _index_change(recapture: CaptureFacts) -> Change | None:
    """Return the change of an index that no change of its input's size explains."""
    for change in recapture.changes:
        short = change.name.rsplit("::", 1)[-1]
        if change.attribute not in _INDICES or not short.startswith(tuple(_CALLS)):
            continue
        resized = any(
            other.index == change.index and other.attribute.startswith("self")
            for other in recapture.changes
            if value_pairs(other)
        )
        if not resized and not recapture.changed(".grad", "node", "hooks"):
            return change
    return None


def _call(name: str) -> str:
    short = name.rsplit("::", 1)[-1]
    return next(call for prefix, call in _CALLS.items() if short.startswith(prefix))
