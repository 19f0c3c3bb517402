"""The numbers of a run, and the sentence that says them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.render.watch import view
from ca_reports.text.runs import run_totals
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path


def recapturing(began: float = START) -> LogWriter:
    """A process that lives: a recapture whose graph took 800 s to compile, and no end."""
    log = LogWriter()
    log.ca_run(time=began)
    log.ca_capture(0, time=began + 1)
    log.ca_capture(1, "changed_shapes", time=began + 2, seconds={"capture": 65.0})
    log.compiled("!1/0/0", 800.0, start_time=began + 70)
    return log


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
    Console(file=screen, width=140).print(view(run, START + 1100))

    assert analyze(run).summary.seconds_lost == 965.0
    assert screen.getvalue().count("965.0 s") == 2


def test_one_process_that_was_recorded_twice(tmp_path: Path) -> None:
    recapturing().write(tmp_path / "trace_0.log")
    recapturing(START + 5000).write(tmp_path / "trace_1.log")
    run = ca_reports.load([tmp_path])
    said = run_totals(run, analyze(run).summary)

    assert len(run.processes) == 2
    assert "lost, summed over 2 recordings, in a run of" in said
