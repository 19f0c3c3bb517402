from __future__ import annotations

import pytest

from ca_reports.text.numbers import duration


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
