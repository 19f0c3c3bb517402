"""What may be said about times, and what may not."""

from __future__ import annotations

import random

import pytest

from ca_reports.comparison.noise import FEWEST, interval, paired, ratio


def test_few_samples_have_no_interval() -> None:
    assert interval([]) is None
    found = interval([3.0, 1.0, 2.0])
    assert found is not None
    assert (found.median, found.low, found.high) == (2.0, None, None)
    comparison = ratio(found, interval([6.0] * 50))
    assert comparison is not None
    assert (comparison.value, comparison.answer) == (3.0, "too few")


def test_interval_holds_the_median_19_times_in_20() -> None:
    numbers = random.Random(7)
    held = 0
    for _ in range(1_000):
        found = interval([numbers.lognormvariate(0, 0.5) for _ in range(41)])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.median <= found.high
        held += found.low <= 1.0 <= found.high
    assert 930 <= held <= 985


@pytest.mark.parametrize(("factor", "answer"), [(1.3, "slower"), (0.7, "faster")])
def test_a_real_difference_is_found(factor: float, answer: str) -> None:
    numbers = random.Random(7)
    before = [numbers.gauss(1, 0.05) for _ in range(100)]
    after = [factor * numbers.gauss(1, 0.05) for _ in range(100)]

    found = ratio(interval(before), interval(after))

    assert found is not None
    assert found.answer == answer
    assert found.value == pytest.approx(factor, rel=0.05)


def test_the_same_is_hardly_ever_called_different() -> None:
    numbers = random.Random(7)
    wrong = 0
    for _ in range(300):
        samples = [[numbers.lognormvariate(0, 0.3) for _ in range(40)] for _ in range(2)]
        found = ratio(interval(samples[0]), interval(samples[1]))
        assert found is not None
        wrong += found.answer != "no difference"
    assert wrong <= 6


def test_one_outlier_makes_nothing_slower() -> None:
    found = ratio(interval([1.0] * 20), interval([1.0] * 19 + [1000.0]))

    assert found is not None
    assert found.answer == "no difference"


def test_pairs() -> None:
    assert paired([]) is None
    assert paired([(0.0, 1.0)]) is None
    few = paired([(1.0, 2.0)] * (FEWEST - 1))
    assert few is not None
    assert few.answer == "too few"
    # Each capture is compared with itself: they may differ as much as they like.
    many = paired([(10.0**size, 1.5 * 10.0**size) for size in range(8)])
    assert many is not None
    assert (many.value, many.answer) == (1.5, "slower")


def test_nothing_to_divide_by() -> None:
    assert ratio(None, interval([1.0])) is None
    assert ratio(interval([0.0] * 10), interval([1.0] * 10)) is None
