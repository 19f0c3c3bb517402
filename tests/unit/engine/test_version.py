"""Which versions of torch the recorder is for."""

from __future__ import annotations

import pytest

from ca_engine.version import is_recorded


@pytest.mark.parametrize(
    ("torch", "recorded"),
    [("2.8.0+cu128", True), ("2.10.0a0+gitabc", True), ("3.0", True), ("2.7.1", False)],
)
def test_a_version_is_compared_by_its_numbers(torch: str, recorded: bool) -> None:
    assert is_recorded(torch) is recorded
