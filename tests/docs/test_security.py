"""docs/security.md names tests that are there."""

from __future__ import annotations

import re

import pytest

from tests.docs.guide import ROOT

NAMED = sorted(
    set(re.findall(r"`(tests/[\w/.]+)`", (ROOT / "docs" / "security.md").read_text("utf-8")))
)


def test_it_names_some() -> None:
    assert len(NAMED) > 15


@pytest.mark.parametrize("name", NAMED)
def test_what_it_names_is_there(name: str) -> None:
    assert (ROOT / name).exists()
