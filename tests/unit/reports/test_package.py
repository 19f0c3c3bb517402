"""The package by itself: each part imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import ca_reports


def _modules(code: str) -> set[str]:
    listed = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return set(listed.stdout.split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import ca_reports.errors", {"ca_reports.run.build.builder", "orjson", "rich"}),
        (
            "from ca_reports import load",
            {"torch", "typer", "rich", "jinja2", "pygments", "pandas", "ca_cli"},
        ),
        ("from ca_reports.output import terminal, json", {"torch", "jinja2", "pygments"}),
        ("from ca_reports.output import html", {"torch", "rich", "pandas"}),
    ],
)
def test_each_part_imports_only_what_it_needs(code: str, absent: set[str]) -> None:
    assert not _modules(code) & absent


def test_an_unknown_attribute_of_the_package() -> None:
    found: Any = ca_reports
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = found.nothing_of_ours
