"""Graphs that follow each other: a flag that was switched once, and backwards that accumulate.

A flag that a recipe switches once makes two computations, one after the other, and each is compiled
once. In a step that accumulates, the first backward stores a gradient and the others add to it: two
backwards by turns, and each is captured once. Neither is compiled again, however long the program
runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.run.model import GraphSizes

# Fewer calls than these before the switch are a first call, which a value's first use explains.
_STRETCH = 3
# What comes instead of one of these is made at the first use: a cache, an optional argument.
_MADE = frozenset(("None", "a tensor"))


def switched_once(
    things: Iterable[GuardedThing], graphs: Iterable[GraphSizes]
) -> tuple[RecompileFacts, ...]:
    """Return the recompiles for a flag or a word after which no earlier graph ran again.

    ``graphs`` say which calls were each one's first and last. What a function keeps from its first
    call on is no switch: the graph before ran for a stretch of calls.
    """
    spans = {
        one.graph: (one.first_call, one.last_call)
        for one in graphs
        if one.first_call is not None and one.last_call is not None
    }
    return tuple(
        found
        for thing in things
        if thing.subject == "mode" and thing.pattern == "changed" and thing.limit is None
        if len(set(thing.values)) > thing.times and _MADE.isdisjoint(thing.values)
        if all(_follows(one.compiled.compile_id, spans) for one in thing.recompiles)
        for found in thing.recompiles
    )


def _follows(graph: str, spans: dict[str, tuple[int, int]]) -> bool:
    """Return whether all graphs of its code that were compiled before it had their last call."""
    code, _, number = graph.rpartition("/")
    if graph not in spans or not number.isdecimal():
        return False
    before = [spans.get(f"{code}/{earlier}") for earlier in range(int(number))]
    first, _ = spans[graph]
    known = [span for span in before if span is not None]
    return (
        len(known) == len(before) > 0
        and all(last < first for _, last in known)
        and first - known[-1][0] >= _STRETCH
    )


def accumulating(
    captures: Sequence[CaptureFacts], steps: Iterable[tuple[int, int]]
) -> tuple[CaptureFacts, ...]:
    """Return the captures of a backward that adds to gradients, beside the one that stores them.

    Both run by turns, and differ in nothing else. Gradients that some parameters have and others do
    not are other combinations, and a backward that met none in the first step only is never run
    again: these can be saved. ``steps`` are the backwards of the process as (step, capture).
    """
    pairs = {found.capture.id: stored for found, stored in _adding(captures)}
    if not pairs:
        return ()
    known = {*pairs, *pairs.values()}
    runs: dict[int, list[int]] = {}
    for position, (_, capture) in enumerate(steps):
        if capture in known:
            runs.setdefault(capture, []).append(position)
    return tuple(
        found
        for found in captures
        if (stored := pairs.get(found.capture.id)) is not None
        and (own := runs.get(found.capture.id))
        and (others := runs.get(stored))
        and others[0] < own[0] < others[-1] < own[-1]
    )


def _adding(captures: Iterable[CaptureFacts]) -> Iterator[tuple[CaptureFacts, int]]:
    """Yield captures that differ in every parameter's gradient being there, and from which."""
    for found in captures:
        changed = found.changed(".grad")
        is_all = bool(changed) and len(changed) == len(found.changes) == len(found.parameters)
        if found.closest is not None and is_all and all(one.before is None for one in changed):
            yield found, found.closest.capture.id
