"""A factor by which sizes changed is known again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ca_reports.facts.shape_numbers import Pair, Ratios

PAIRS = st.tuples(st.integers(-3, 9), st.integers(-3, 9)).filter(any)


@given(seen=st.lists(PAIRS, max_size=4), pair=PAIRS)
def test_a_pair_has_a_factor_that_was_seen(seen: list[Pair], pair: Pair) -> None:
    before, after = pair
    expected = any(before * new == after * old for old, new in seen)
    assert (pair in Ratios(seen)) == expected
