"""GIVEN two sequences WHEN they are aligned THEN as much as can be belongs together, soon."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_engine import alignment
from ca_engine.alignment import common_items
from ca_engine.recorder.snapshot import MAX_NODES
from tests import slopes

# CPU seconds: measured 0.02 to 0.03.
MAX_SECONDS = 0.3

ITEMS = st.lists(st.sampled_from("ABC"), max_size=14)


def most_in_common(old: Sequence[object], new: Sequence[object]) -> int:
    """The textbook's table, of which only the last row is kept."""
    row = [0] * (len(new) + 1)
    for item in old:
        above, row = row, [0]
        for position, other in enumerate(new):
            row.append(
                above[position] + 1 if item == other else max(above[position + 1], row[position])
            )
    return row[-1]


@given(ITEMS, ITEMS)
def test_equal_items_are_paired_in_order_and_none_more_could_be(
    old: list[str], new: list[str]
) -> None:
    pairs = common_items(old, new)
    assert all(old[left] == new[right] for left, right in pairs)
    for (left, right), (next_left, next_right) in pairwise(pairs):
        assert left < next_left
        assert right < next_right
    assert len(pairs) == most_in_common(old, new)


@given(ITEMS, ITEMS)
def test_each_sequence_can_be_made_of_the_other(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    done = 0
    for left, right in [*common_items(old, new), (len(old), len(new))]:
        made += new[done:right]
        made += old[left : left + 1]
        done = right + 1
    assert made == new


def test_of_equally_good_answers_it_is_the_latest() -> None:
    assert common_items("ab", "abab") == [(0, 2), (1, 3)]
    assert common_items("xab", "yabab") == [(1, 3), (2, 4)]


def test_of_what_is_too_large_the_ends_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_NODES**2 < alignment.MAX_TABLE
    monkeypatch.setattr(alignment, "MAX_TABLE", 5)
    assert common_items("abcxde", "abycde") == [(0, 0), (1, 1), (4, 4), (5, 5)]
    assert common_items("aaaa", "aaaaa") == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert common_items("xbcy", "bcyz") == []


BLOCK = [f"layer {number}" for number in range(20)]
BLOCKS = MAX_NODES // len(BLOCK) - 1
RANDOM = random.Random(0)


@pytest.mark.parametrize(
    ("old", "new", "common"),
    [
        pytest.param(
            ["mean", *BLOCK * BLOCKS, "root"],
            ["sum", *BLOCK * (BLOCKS // 2), "new", *BLOCK * (BLOCKS - BLOCKS // 2), "root"],
            len(BLOCK) * BLOCKS + 1,
            id="one inserted",
        ),
        pytest.param(
            ["mean", *BLOCK * 480, "root"],
            ["sum", *[*BLOCK, "dropout"] * 480, "leaf"],
            len(BLOCK) * 480,
            id="one in each block",
        ),
        pytest.param(range(MAX_NODES), range(MAX_NODES, 2 * MAX_NODES), 0, id="nothing in common"),
        pytest.param(range(MAX_NODES), range(MAX_NODES)[::-1], 1, id="the other way round"),
        pytest.param("b" + "a" * MAX_NODES, "a" * MAX_NODES + "c", MAX_NODES, id="all the same"),
        pytest.param(
            RANDOM.choices("ab", k=MAX_NODES), RANDOM.choices("ab", k=MAX_NODES), None, id="random"
        ),
    ],
)
def test_it_takes_little_time_whatever_the_graphs(
    old: Sequence[object], new: Sequence[object], common: int | None
) -> None:
    assert slopes.is_within(MAX_SECONDS, lambda: common_items(old, new))
    assert common is None or len(common_items(old, new)) == common
