"""The verdict of a gate on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from ca_reports.gates.config import GateSettings
from ca_reports.output import check
from ca_reports.run.model import Run
from tests.unit.reports.gates.made import judged
from tests.unit.reports.output.reported import BUDGETS


def test_a_verdict_on_a_terminal(run: Run) -> None:
    stream = io.StringIO()
    check.render(judged(run, GateSettings(BUDGETS)), Console(file=stream, width=100))
    assert stream.getvalue().startswith("max-recaptures: ")
    assert "\x1b" not in stream.getvalue()
