"""The best sizes to pad to, against all ways that there are."""

from __future__ import annotations

import random
from functools import partial
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ca_reports.facts.sizes.buckets import (
    best_boxes,
    best_buckets,
    cheapest_box,
    multiples,
    next_bucket,
)

COUNTS = st.dictionaries(st.integers(1, 400), st.integers(1, 1000), min_size=1, max_size=8)
# Seconds of a step: constant, linear, square.
COSTS = st.tuples(st.floats(0, 10), st.floats(0, 1), st.floats(0, 0.01))


def seconds_of(cost: tuple[float, float, float], size: float) -> float:
    return cost[0] + cost[1] * size + cost[2] * size * size


def total(counts: dict[int, int], buckets: tuple[int, ...], cost: tuple[float, ...]) -> float:
    return sum(
        count * seconds_of((cost[0], cost[1], cost[2]), next_bucket(size, buckets))
        for size, count in counts.items()
    )


def best_of_all(counts: dict[int, int], number: int, cost: tuple[float, float, float]) -> float:
    largest = max(counts)
    others = [size for size in counts if size != largest]
    return min(
        total(counts, tuple(sorted((*chosen, largest))), cost)
        for taken in range(min(number, len(counts)))
        for chosen in combinations(others, taken)
    )


@pytest.mark.long
@settings(max_examples=500, deadline=None)
@given(COUNTS, COSTS, st.integers(1, 6))
def test_no_other_choice_of_so_many_sizes_takes_less(
    counts: dict[int, int], cost: tuple[float, float, float], most: int
) -> None:
    found = best_buckets(counts, lambda size: seconds_of(cost, size), most)
    assert list(found) == list(range(1, min(most, len(counts)) + 1))
    for number, buckets in found.items():
        assert len(buckets) <= number
        assert list(buckets) == sorted(set(buckets))
        assert buckets[-1] == max(counts)
        assert set(buckets) <= set(counts)
        least = best_of_all(counts, number, cost)
        assert total(counts, buckets, cost) <= least * (1 + 1e-9) + 1e-9


@pytest.mark.long
def test_ten_thousand_histograms_are_within_a_hundredth_of_the_optimum() -> None:
    numbers = random.Random(43)
    for _ in range(10_000):
        sizes = numbers.sample(range(1, 2049), numbers.randint(2, 12))
        counts = {size: numbers.randint(1, 500) for size in sizes}
        cost = (numbers.random(), numbers.random() / 100, numbers.random() / 1e5)
        number = numbers.randint(2, 4)
        buckets = best_buckets(counts, partial(seconds_of, cost), number)
        least = best_of_all(counts, number, cost)
        assert total(counts, buckets[min(number, len(counts))], cost) <= least * 1.01


def test_many_sizes_take_time_in_proportion_to_their_number() -> None:
    counts = {size: size % 97 + 1 for size in range(1, 4097)}
    asked = 0

    def seconds(size: int) -> float:
        nonlocal asked
        asked += 1
        return float(size)

    found = best_buckets(counts, seconds, 16)
    assert len(found[16]) == 16
    assert asked == len(counts)


def test_sizes_are_rounded_up_to_multiples() -> None:
    assert multiples([1, 64, 65, 200], 64) == (64, 128, 256)
    assert multiples([8, 16], 8) == (8, 16)


BOXES = st.dictionaries(
    st.tuples(st.integers(1, 50), st.integers(1, 50)), st.integers(1, 50), min_size=1, max_size=7
)


@settings(max_examples=300, deadline=None)
@given(BOXES)
def test_every_set_of_sizes_fits_into_one_of_the_boxes(counts: dict[tuple[int, ...], int]) -> None:
    def area(sizes: tuple[int, ...]) -> float:
        return float(sizes[0] * sizes[1])

    found = best_boxes(counts, area, 16)
    assert 1 in found
    costs = []
    for number, boxes in sorted(found.items()):
        assert len(boxes) == number
        fitting = [cheapest_box(sizes, boxes, area) for sizes in counts]
        assert None not in fitting
        costs.append(
            sum(
                count * area(cheapest_box(sizes, boxes, area) or ())
                for sizes, count in counts.items()
            )
        )
    # More boxes never cost more.
    assert costs == sorted(costs, reverse=True)


def test_two_clusters_of_resolutions_get_a_box_each() -> None:
    counts: dict[tuple[int, ...], int] = dict.fromkeys(
        [(100, 200), (101, 190), (200, 100), (190, 99)], 5
    )
    found = best_boxes(counts, lambda sizes: float(sizes[0] * sizes[1]), 4)
    assert found[2] == ((101, 200), (200, 100))
    assert found[1] == ((200, 200),)


def test_joining_boxes_is_reckoned_about_once_for_each_two() -> None:
    asked = 0

    def volume(sizes: tuple[int, ...]) -> float:
        nonlocal asked
        asked += 1
        return float(sizes[0] * sizes[1] * sizes[2])

    sides = range(1, 7)
    counts: dict[tuple[int, ...], int] = {
        (one, two, three): 1 for one in sides for two in sides for three in sides
    }
    assert best_boxes(counts, volume, 4)[1] == ((6, 6, 6),)
    assert asked < 4 * len(counts) ** 2
