"""``ca sizes`` on a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from ca_reports.facts.sizes.examined import examine
from ca_reports.output import sizes_terminal
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_sizes_plans_and_notes_are_printed(tmp_path: Path) -> None:
    found = examine(loaded(automatic({60: 40, 64: 30, 250: 5}), tmp_path), 10_000)
    stream = io.StringIO()
    sizes_terminal.render(found, Console(file=stream, width=100))
    printed = stream.getvalue()
    assert "ids[1], mask[1]: 4 sizes, 32–250; 60 most often (40 times, 53%)" in printed
    assert "10,000 steps" in printed
    assert "3 buckets (32, 64, 250)" in printed or "3 buckets (60, 64, 250)" in printed
    assert "Best: " in printed
