"""The versions of torch that the engine is tested with, where users read of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ca_engine.compat.versions import FIRST_TESTED, LAST_TESTED

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[4]
RANGE = "{}.{} to {}.{}".format(*FIRST_TESTED, *LAST_TESTED)


def test_an_installed_torch_is_not_replaced() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = [each for each in project["dependencies"] if each.startswith("torch")]
    assert required == ["torch>=2.6"]  # the oldest whose logs are read


@pytest.mark.parametrize("page", ["getting-started", "limits", "engine", "warm-starts"])
def test_a_page_names_the_versions(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    assert RANGE in " ".join(text.split())
