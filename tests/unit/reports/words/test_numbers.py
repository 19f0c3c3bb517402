from __future__ import annotations

import pytest

from ca_reports.words.numbers import (
    agreeing,
    and_more,
    counted,
    duration,
    every,
    factor,
    fine_duration,
    fine_percent,
    joined,
    known,
    magnitude,
    megabytes,
    memory,
    microseconds,
    percent,
    plain,
    rate,
    rough_duration,
    set_duration,
    six_digits,
    span,
    times,
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, "–"),
        (0.0, "0 s"),
        (0.0001, "< 1 ms"),
        (0.0312, "31 ms"),
        (0.5, "0.50 s"),
        (4.21, "4.2 s"),
        (12345.6, "12,345.6 s"),
    ],
)
def test_seconds(found: float | None, expected: str) -> None:
    assert duration(found) == expected


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (1, "miss", "1 miss"),
        (2, "miss", "2 misses"),
        (3, "graph break", "3 graph breaks"),
        (0, "branch", "0 branches"),
        (1_000, "process", "1,000 processes"),
    ],
)
def test_counted(number: int, noun: str, expected: str) -> None:
    assert counted(number, noun) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [(None, "–"), (0.0, "0 s"), (0.00421, "4.21 ms"), (0.0998, "99.8 ms"), (2.0, "2.0 s")],
)
def test_times_that_are_compared(found: float | None, expected: str) -> None:
    assert fine_duration(found) == expected


@pytest.mark.parametrize(
    ("found", "expected"), [(0.2, "0 s"), (89.4, "89 s"), (90.0, "2 min"), (12_600.0, "3.5 h")]
)
def test_a_time_that_goes_on(found: float, expected: str) -> None:
    assert rough_duration(found) == expected


@pytest.mark.parametrize(("found", "expected"), [(1800.0, "1,800 s"), (0.5, "0.5 s")])
def test_a_time_that_was_set(found: float, expected: str) -> None:
    assert set_duration(found) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(1, "the rank"), (2, "both ranks"), (1_024, "all 1,024 ranks")]
)
def test_every_one_of_some(number: int, expected: str) -> None:
    assert every(number, "rank") == expected


def test_what_a_list_leaves_out() -> None:
    assert and_more(1_200) == "and 1,200 more"
    assert and_more(2, "rank") == "and 2 more ranks"


def test_words_agree_with_their_number() -> None:
    assert [agreeing(number, "is", "are") for number in (0, 1, 2)] == ["are", "is", "are"]
    assert [times(number) for number in (1, 2, 1_000)] == ["once", "2 times", "1,000 times"]
    assert [joined(list("abc"[:number])) for number in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_numbers_as_they_are_told() -> None:
    assert [known(number) for number in (None, 0, 1_200)] == ["–", "0", "1,200"]
    assert [plain(number) for number in (3, 3.0, 1e6, 2.25)] == ["3", "3", "1,000,000", "2.25"]
    assert [span(9, 9), span(9, 1570)] == ["9", "9–1570"]
    assert [percent(0.88), fine_percent(0.025), factor(1.06)] == ["88%", "2.5%", "×1.06"]
    assert [six_digits(0.69314718), magnitude(2e-7), rate(12.45)] == ["0.693147", "2e-07", "12.4"]


def test_sizes_say_their_unit() -> None:
    assert [memory(size) for size in (1, 16 << 20, 2 << 30)] == ["1 byte", "16 MiB", "2 GiB"]
    assert [megabytes(3.14e6), microseconds(12e-6)] == ["3.1 MB", "12 µs"]
