"""Inputs that grow from call to call."""

from __future__ import annotations

import pytest

from ca_reports.facts.growing_inputs import Growth, growth_beside
from ca_reports.run.model import GraphSizes


def called(*lengths: int) -> GraphSizes:
    """A graph of two rows that was called with these lengths."""
    shape: tuple[int | str, ...] = (2, "s0" if len(lengths) > 1 else lengths[0])
    sizes = tuple((one,) if len(lengths) > 1 else () for one in lengths)
    each = (1,) * len(lengths)
    nothing = (None,) * len(lengths)
    symbols = ("s0",) if len(lengths) > 1 else ()
    return GraphSizes("0/0", {"ids": shape}, symbols, sizes, each, nothing, nothing)


def test_a_generation_gives_one_token_more_in_each_call() -> None:
    assert growth_beside(called(2, 3, 4, 5), called(16)) == Growth("ids", 1, 2, 5)
    # Of several prompts each begins again.
    assert growth_beside(called(2, 3, 4, 2, 5), called(16)) == Growth("ids", 1, 2, 5)


@pytest.mark.parametrize(
    ("lengths", "trained"),
    [
        # Lengths of data, in any order.
        ((9, 6, 11, 7), (16,)),
        # Sorted, and by chance too few.
        ((2, 3, 4), (16,)),
        # From the longest to the shortest.
        ((9, 8, 7, 6), (16,)),
        # The training has them as well.
        ((14, 15, 16, 17), (16,)),
        ((2, 3, 4, 5), (3, 8, 5)),
        ((16,), (8,)),
    ],
)
def test_other_sizes_are_no_growth(lengths: tuple[int, ...], trained: tuple[int, ...]) -> None:
    assert growth_beside(called(*lengths), called(*trained)) is None


def test_inputs_of_other_names_are_not_compared() -> None:
    other = GraphSizes("0/1", {"images": (2, 16)}, (), ((),), (1,), (None,), (None,))
    assert growth_beside(called(2, 3, 4, 5), other) is None
