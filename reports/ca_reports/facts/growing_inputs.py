"""Inputs that grow from call to call, as those of a generation without a cache do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.run.model import GraphSizes

# So many sizes, each longer than the one before by the same, are no data's.
_A_LOOP = 4


@dataclass(frozen=True, slots=True)
class Growth:
    """A dimension of an input that grows by the same in each call: its first and last size."""

    name: str
    dimension: int
    first: int
    last: int


def growth_beside(called: GraphSizes, other: GraphSizes) -> Growth | None:
    """Return what grows in the calls of one graph and never is of a size of the ``other`` graph."""
    for name, dimension, sizes in _dimensions(called):
        seen = [*dict.fromkeys(sizes)]
        steps = {after - before for before, after in pairwise(seen)}
        others = {
            size
            for known, at, values in _dimensions(other)
            if (known, at) == (name, dimension)
            for size in values
        }
        is_growing = len(seen) >= _A_LOOP and len(steps) == 1 and min(steps) > 0
        if is_growing and others and others.isdisjoint(seen):
            return Growth(name, dimension, seen[0], seen[-1])
    return None


def _dimensions(graph: GraphSizes) -> Iterator[tuple[str, int, list[int]]]:
    """Yield each dimension of each input with its sizes, in the order of the first calls."""
    at = {symbol: position for position, symbol in enumerate(graph.symbols)}
    for name, shape in graph.inputs.items():
        for dimension, size in enumerate(shape):
            if isinstance(size, int):
                yield name, dimension, [size]
            elif size in at:
                yield name, dimension, [row[at[size]] for row in graph.sizes]
