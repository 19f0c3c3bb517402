"""The numbers of a run, and the sentence that says them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.watch import view
from tests.unit.logwriter import START
from tests.unit.reports.recaptured import recapturing

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_that_lives_lasts_until_the_last_thing_that_is_known(tmp_path: Path) -> None:
    run = ca_reports.load([recapturing().write(tmp_path / "trace.log")])
    summary = analyze(run).summary

    assert summary.seconds_lost == 865.0
    assert summary.seconds_total == 870.0


def test_a_live_view_says_of_a_process_what_it_says_of_the_run(tmp_path: Path) -> None:
    log = recapturing()
    log.compiled("!1/0/1", 100.0, start_time=START + 900, recompile_reason="!1/0/0: a size")
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    screen = io.StringIO()
    Console(file=screen, width=140).print(view(analyze(run), START + 1100))

    assert analyze(run).summary.seconds_lost == 965.0
    assert screen.getvalue().count("965.0 s") == 2
