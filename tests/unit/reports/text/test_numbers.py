from __future__ import annotations

import pytest

from ca_reports.text.numbers import and_more, counted, duration, fine_duration, rough_duration


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


def test_what_a_list_leaves_out() -> None:
    assert and_more(1_200) == "and 1,200 more"
    assert and_more(2, "rank") == "and 2 more ranks"
