from __future__ import annotations

import pytest

from ca_reports.text.numbers import counted, duration


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
