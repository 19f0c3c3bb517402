"""The numbers in a change of a shape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.run.model import Change

Pair = tuple[int, int]

_SHAPES = expression(r"(?:^|[._])(?:shape|shapes|sizes|size|numel)$")


class Ratios:
    """By which factors sizes changed; to look one up takes the same time however many there are."""

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        """``pairs`` are (before, after)."""
        self._seen: set[Pair] = set()
        self.add(pairs)

    def add(self, pairs: Iterable[Pair]) -> None:
        """Add the factors of ``pairs``."""
        self._seen.update(map(_reduced, pairs))

    def __contains__(self, pair: Pair) -> bool:
        return _reduced(pair) in self._seen


def _reduced(pair: Pair) -> Pair:
    # A number below 0 is no size, and yet may stand in a log.
    common = (math.gcd(*pair) or 1) * (1 if pair > (0, 0) else -1)
    return pair[0] // common, pair[1] // common


def value_pairs(change: Change) -> tuple[tuple[int | None, Pair], ...]:
    """(dimension, (before, after)) of each number that differs in a change of a shape."""
    if change.attribute == "symints":
        # Sizes of whatever tensors: their place in the list is no dimension.
        return tuple((None, pair) for _, pair in _pairs(change.before, change.after, None))
    if not _SHAPES.search(change.attribute):
        return ()
    return tuple(_pairs(change.before, change.after, None))


def _pairs(before: Any, after: Any, dimension: int | None) -> Iterator[tuple[int | None, Pair]]:
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        nested = any(isinstance(entry, list) for entry in before)
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _pairs(old, new, None if nested else at)
    elif type(before) is int and type(after) is int and before != after:
        yield dimension, (before, after)
