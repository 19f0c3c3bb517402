"""``ca caches --format markdown``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import caches_markdown
from tests.unit.reports.costs.caches.made import PARTS, start_of, started

if TYPE_CHECKING:
    from pathlib import Path


def test_causes_are_open_and_graphs_are_folded(tmp_path: Path) -> None:
    log = start_of({**PARTS, "cpp_runtime_thread_count": "1"})
    log.bypassed("1/0", "Can't cache HigherOrderOperator: print")
    text = caches_markdown.render(started(tmp_path, log, start_of()))
    assert "**Cold: both graphs were compiled (4.0 s).**" in text
    assert "<details open><summary>cpp_runtime_thread_count: 2 → 1 (1 graph, 4.0 s)" in text
    assert "- Fix: `OMP_NUM_THREADS=2` for every start" in text
    assert "Can't cache HigherOrderOperator: print" in text
    assert "<details><summary>Graphs</summary>" in text
    assert "| 0/0 | step " in text
