"""The versions of torch that the engine is tested with, where users read of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_engine.compat.versions import FIRST_TESTED, LAST_TESTED

ROOT = Path(__file__).parents[4]
RANGE = "{}.{} to {}.{}".format(*FIRST_TESTED, *LAST_TESTED)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/getting-started.md", "docs/limits.md", "docs/engine.md"]
)
def test_a_page_names_the_versions(page: str) -> None:
    assert RANGE in " ".join((ROOT / page).read_text("utf-8").split())
