"""What a stance asks for before a call."""

from __future__ import annotations

import ast

import pytest

from ca_reports.patching.asked import may_be_asked_twice


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("mode", True),
        ("self.config.mode", True),
        ('batch["mask"]', True),
        ("rows[0]", True),
        ("next(modes)", False),
        ("rows[step % 2]", False),
        ("not training", False),
    ],
)
def test_what_only_looks_something_up_may_be_asked_twice(code: str, expected: bool) -> None:
    assert may_be_asked_twice(ast.parse(code, mode="eval").body) is expected
