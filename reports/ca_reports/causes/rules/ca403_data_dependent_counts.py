"""CA403."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import batches
from ca_reports.causes.rules.base import PATTERN, Match, Rule, capture_events
from ca_reports.causes.rules.structure import forward_line
from ca_reports.facts.events import CaptureFacts
from ca_reports.facts.own_sizes import own_sizes
from ca_reports.facts.shape_numbers import value_pairs
from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.words.numbers import agreeing, counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.shape_numbers import Pair
    from ca_reports.facts.size_changes import SizeChange
    from ca_reports.run.model import Change, Event

# Nodes whose forward picks as many rows as the data says, or puts them back.
_SPLITS = "Split"
_PICKING = ("IndexBackward", "IndexAdd", "IndexPut", "MaskedSelect", _SPLITS, "Scatter", "Gather")


# The sizes of what such a node picks from, where it saves them.
_PICKED_FROM = ("self_sym_sizes", "self.shape", "self_sizes")
_FIX = (
    "make sizes independent of the data: run every row through every branch and multiply by the "
    "mask, or pad each count to a fixed capacity and mask what is added"
)


class DataDependentCounts(Rule):
    """Sizes depend on the data: rows that a router or a mask picks.

    ## What it is

    The forward picks the rows of a tensor that satisfy a condition, as a mixture of experts
    does for each expert, or a loss that skips padding. Their number varies from step to step,
    independently in each place.

    ## Why it costs

    Every count is a size of the backward. Even once sizes are inputs of the graph, guards
    remain on what happened to hold when it was compiled (two counts were equal, none was below
    2), and each failure recompiles the graph, up to the recompile limit.

    ## Example

        for number, expert in enumerate(experts):
            rows = (chosen == number).nonzero().flatten()
            out = out.index_add(0, rows, expert(x[rows]))

    ## What to do

    Dense dispatch: give every row to every expert and multiply by the mask. Or pad each count
    to a fixed capacity. For losses: use `reduction="none"` and multiply by the mask.

    ## Measured

    2 captures and 14 compiles, up to the limit, became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It relies on nodes that pick rows (`IndexBackward0` and similar) whose sizes changed although
    what they pick from did not, or by more than the sizes of the program's own data explain.
    Where a graph is only compiled again, all it has is that no data of the loop changed. An input
    of indices whose number varies looks the same where no variable holds it.
    """

    code = "CA403"
    name = "data-dependent-counts"
    place = batches.picked_rows
    edits = ("dynamic_counts",)
    specificity = PATTERN + 6
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        picked = [found for found in facts.recaptures if _picks(found)]
        own = {found.capture.id for found in facts.captures if _has_picking(found)}
        if not picked:
            # Graphs whose sizes were inputs from the first capture on are only compiled again.
            alone = [change for change in facts.size_changes if _is_of_no_data(change, own)]
            if alone:
                yield _of_recompiles(facts, alone)
            return
        recompiles = [
            recompile
            for recompile in facts.graph_recompiles
            if recompile.compiled.capture in own
            and (
                recompile.guard.kind in ("size", "stride")
                or is_zero_one_guard(recompile.guard)
                or "size()" in recompile.guard.text
            )
        ]
        nodes = sorted(
            {
                change.name.rsplit("::", 1)[-1]
                for found in picked
                for change in found.changes
                if change.name.startswith(_PICKING) and value_pairs(change)
            }
        )
        yield Match(
            message=(
                f"sizes depend on the data ({', '.join(nodes)}): "
                f"{counted(len(picked), 'capture')}, {counted(len(recompiles), 'recompile')} of "
                f"their graphs{_up_to_the_limit(facts, [one.compiled for one in recompiles])}"
            ),
            fix=_FIX,
            events=(*capture_events(picked), *(recompile.compiled for recompile in recompiles)),
            noticed_at=picked[0].line,
            location=forward_line(picked, _is_picking),
            evidence=(
                *(found.evidence for found in picked),
                *(recompile.evidence for recompile in recompiles),
            ),
            key=", ".join(nodes),
        )


def _is_of_no_data(change: SizeChange, picking: Collection[int]) -> bool:
    """Return whether a size of a graph that picks rows changed, and none of the loop's data."""
    fact = change.fact
    if isinstance(fact, CaptureFacts) or fact.capture is None:
        return False
    held, capture = fact.compiled.held, fact.capture.capture
    return (
        capture.id in picking and held is not None and bool(held.data) and held.data == capture.data
    )


def _of_recompiles(facts: ProcessFacts, changes: Sequence[SizeChange]) -> Match:
    captures = {
        found.capture.id: found
        for change in changes
        if not isinstance(change.fact, CaptureFacts) and (found := change.fact.capture) is not None
    }
    picking = [
        (name, found.capture.lines.get(node.get("index", -1)))
        for found in captures.values()
        for node in found.nodes
        if (name := str(node.get("name")).rsplit("::", 1)[-1]).startswith(_PICKING)
    ]
    nodes = ", ".join(sorted({name for name, _ in picking}))
    events = tuple(event for change in changes for event in change.events)
    return Match(
        message=(
            f"sizes depend on the data ({nodes}): {counted(len(events), 'recompile')} of "
            f"{_graphs(captures)}{_up_to_the_limit(facts, events)}"
        ),
        fix=_FIX,
        events=events,
        noticed_at=changes[0].fact.line,
        # What is split by the counts has their line; what reorders rows picks all of them.
        location=next(
            (line for _, line in sorted(picking, key=_is_no_split) if line is not None), None
        ),
        evidence=tuple(change.fact.evidence for change in changes),
        key=nodes,
    )


def _is_no_split(picked: tuple[str, object]) -> bool:
    return not picked[0].startswith(_SPLITS)


def _up_to_the_limit(facts: ProcessFacts, events: Iterable[Event]) -> str:
    given_up = {found.given_up.key for found in facts.limits}
    return ", up to the recompile limit" if any(one.key in given_up for one in events) else ""


def _graphs(captures: Collection[int]) -> str:
    several = counted(len(captures), "captured graph")
    return agreeing(len(captures), "one captured graph", several)


def _is_picking(change: Change) -> bool:
    return _is_of_picking(change.name) and bool(value_pairs(change))


def _is_of_picking(name: str) -> bool:
    return name.rsplit("::", 1)[-1].startswith(_PICKING)


def _picks(found: CaptureFacts) -> bool:
    """Return whether a node picked another number of rows, and the program's own data don't say so.

    Where operations came or went as well, an expert without rows was left out: a branch (CA202);
    or the rounds of a loop, each of which picks rows (CA203).
    """
    closest = found.closest
    if closest is not None and found.parameters != closest.parameters:
        return False
    if any(not _is_of_picking(name) for name in (*found.added, *found.removed)):
        return False
    picking = [change for change in found.changes if _is_picking(change)]
    pairs = {pair for change in picking for _, pair in value_pairs(change)}
    if not pairs:
        return False
    before = closest.capture.data if closest is not None else {}
    own = [size.pair for size in own_sizes(before, found.capture.data, pairs)]
    if own:
        # Of whatever varies with the batch or its lengths, nothing depends on what is in it.
        return any(not _follows(pair, own) for pair in pairs)
    before_one, after_one = min(pairs)
    is_one_factor = all(old * after_one == new * before_one for old, new in pairs)
    if is_one_factor and not found.capture.data:
        return False
    return any(_picks_from_the_same(found, change) for change in picking)


def _follows(pair: Pair, own: Sequence[Pair]) -> bool:
    """Return whether a size changed by the factor or the difference of one of ``own``, or of two.

    A token that is put before each text makes 13 and 18 of 12 and 17; 8 texts of 12 words are 96.
    """
    old, new = pair
    if any(new - old == after - before for before, after in own):
        return True
    factors = [*own, (1, 1)]
    return any(
        old * one_after * other_after == new * one_before * other_before
        for one_before, one_after in factors
        for other_before, other_after in factors
    )


def _picks_from_the_same(found: CaptureFacts, change: Change) -> bool:
    """Return whether a node gave another number of rows of a tensor that has as many as before."""
    node = found.node(change.index) or {}
    saved = {*node.get("attributes", ()), *(f"{name}.shape" for name in node.get("tensors", ()))}
    return (
        change.attribute == "grad_shapes"
        and not saved.isdisjoint(_PICKED_FROM)
        and not any(
            other.index == change.index and other.attribute in _PICKED_FROM
            for other in found.changes
        )
    )


def _has_picking(found: CaptureFacts) -> bool:
    return any(name.rsplit("::", 1)[-1].startswith(_PICKING) for name in found.node_names)
