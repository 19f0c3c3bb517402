"""A comparison of two runs on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from ca_reports.comparison.runs import Outcome
from ca_reports.output import compare_terminal
from ca_reports.run.model import Run
from tests.unit.reports.output.reported import compared


def test_a_comparison_on_a_terminal(run: Run) -> None:
    stream = io.StringIO()
    failed = Outcome(compared(run), failures=("1 new finding",))
    compare_terminal.render(failed, Console(file=stream, width=100))
    assert "Failed: 1 new finding." in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
