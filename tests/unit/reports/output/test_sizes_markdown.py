"""``ca sizes --format markdown``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.sizes.examined import examine
from ca_reports.output import sizes_markdown
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_plans_are_a_table(tmp_path: Path) -> None:
    found = examine(loaded(automatic({60: 40, 250: 5}), tmp_path), 100)
    text = sizes_markdown.render(found)
    assert text.startswith("### ca sizes\n")
    assert "| Plan | # | Compiles | Compiling | Padding | A step | 100 steps |" in text
    assert "| as it is | 1 | 2 | 5.0 s | " in text
    assert "Best: " in text
