"""Words about dimensions that became dynamic, and how to make them so from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.guard_paths import guard_path, readable, referring
from ca_reports.words.references import Reference, plain
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.dynamic_shapes import DynamicDimension

_SIZES_TOLD = 4


def named(source: str, index: int) -> str:
    """Return ``ids[1]`` for dimension 1 of ``ids``."""
    return f"{readable(source)}[{index}]"


def in_words(source: str) -> str:
    """Return `` `ids` ``, or say that it was computed before a graph break, and has no name."""
    if guard_path(source).is_on_stack:
        return "what was computed before the graph break"
    return f"`{referring(source)}`"


def worth_a_row(every: Iterable[DynamicDimension]) -> list[DynamicDimension]:
    """Return those that a table shows: of dimensions that are always equal only the first."""
    shown: list[DynamicDimension] = []
    told: set[tuple[object, ...]] = set()
    for found in every:
        function = (found.process, found.location)
        if (function, found.source, found.index) not in told or found.respecialised:
            shown.append(found)
            told.update((function, source, index) for source, index in found.together)
    return shown


def argument(found: DynamicDimension) -> str:
    """Return ``ids[1], mask[1]``: the dimension, with those that always equal it."""
    every = ((found.source, found.index), *found.together)
    return first_few([named(found.called(source), index) for source, index in every], _SIZES_TOLD)


def became(found: DynamicDimension) -> str:
    """Say when it became dynamic."""
    if found.became is None:
        return "never"
    return "from the start" if found.from_start else found.became.compile_id


def sizes(found: DynamicDimension) -> str:
    """Return ``8, 10, 12``."""
    return first_few([str(size) for size in found.sizes], _SIZES_TOLD)


def respecialised(found: DynamicDimension) -> list[str]:
    """Say which guards had it recompiled although it was dynamic, each with its place."""
    return [
        f"{one.compiled.compile_id}: `{one.guard}`"
        + (f", line {one.line.line}" if one.line is not None else "")
        + (" (duck sizing)" if one.is_duck else "")
        for one in found.respecialised
    ]


def marked(source: str) -> str:
    """Return what a call that marks a dimension is given: before the call of the function.

    That is a variable of the caller's, where ``source`` is the parameter that gets it.
    """
    return str(Reference(source)) if guard_path(source).is_argument else referring(source)


def marking(to_mark: Sequence[tuple[str, int]]) -> str:
    """Return the calls that mark dimensions: ``mark_dynamic(ids, 1)``, one for each argument."""
    calls: dict[str, list[int]] = {}
    for source, index in to_mark:
        calls.setdefault(marked(source), []).append(index)
    return " and ".join(
        f"`torch._dynamo.mark_dynamic({name}, {at[0] if len(at) == 1 else tuple(sorted(at))})`"
        for name, at in calls.items()
    )


def advice(found: DynamicDimension) -> str:
    """Say how to make it dynamic in the first compile; empty if it was, or cannot be for these.

    A size of 0 or 1 is a constant of the graph, however it is marked.
    """
    is_one_size = found.became is None and sum(size > 1 for size in found.sizes) < 2
    if not found.to_mark or is_one_size:
        return ""
    calls = plain(marking([(found.called(source), index) for source, index in found.to_mark]))
    return f'{calls}, or TORCH_COMPILE_DYNAMIC_SOURCES="{found.as_sources}", or dynamic=True'
