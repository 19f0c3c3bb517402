"""Ranks beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output import ranks as rank_lines
from tests.unit.logwriter import LogWriter
from tests.unit.reports.of_ranks import forward_job

if TYPE_CHECKING:
    from pathlib import Path


def test_ranks_that_compile_alike_are_said_to(tmp_path: Path) -> None:
    analysis = analyze(forward_job(tmp_path, alone=None))
    comparison = analysis.ranks
    assert comparison is not None
    assert comparison.alike == (0, 1, 2)
    (line,) = rank_lines.lines(analysis, comparison)
    assert line == "All 3 ranks compiled the same functions equally often."


def test_a_job_that_captured_nothing_is_compared_by_its_compiles(tmp_path: Path) -> None:
    """Compiled autograd may be on, and each backward outside the compiled code."""
    for rank in range(2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run()
        log.compiled("0/0", 2.0)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    analysis = analyze(ca_reports.load([tmp_path / "job"]))
    assert analysis.ranks is not None
    assert list(rank_lines.lines(analysis, analysis.ranks)) == [
        "Both ranks compiled the same functions equally often."
    ]
    table = html.render(analysis).partition('id="ranks-title"')[2].partition("</thead>")[0]
    assert ">compiling</th>" in table
    assert ">captures</th>" not in table
