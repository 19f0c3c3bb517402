"""The sizes of the program's own data: of the batch that a loop holds, an argument of a forward.

A backward's sizes are those of whatever the forward made of them: a view of 8 texts of 20 words as
160 rows. What a reader knows are the 8 and the 20.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.facts.shape_numbers import Pair


@dataclass(frozen=True, slots=True)
class OwnSize:
    """One dimension of one variable that had another size before: ``words``, 1, (12, 17)."""

    variable: str
    dimension: int
    pair: Pair


def own_sizes(
    before: Mapping[str, tuple[int, ...]],
    after: Mapping[str, tuple[int, ...]],
    pairs: Iterable[Pair],
) -> tuple[OwnSize, ...]:
    """Find what differs between the data of two backwards, as far as it explains ``pairs``.

    Those are the sizes that changed in the backward. A variable whose size changed by no factor
    that is found there had no part in it: a list of results, say.
    """
    seen = tuple(pairs)
    return tuple(
        OwnSize(name, dimension, (old, new))
        for name, sizes in after.items()
        if name in before and len(before[name]) == len(sizes)
        for dimension, (old, new) in enumerate(zip(before[name], sizes, strict=True))
        if old != new and any(left * new == right * old for left, right in seen)
    )
