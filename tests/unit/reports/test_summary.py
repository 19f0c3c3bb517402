"""The numbers of a run, and the sentence that says them."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.model import Run
from ca_reports.render.watch import view
from ca_reports.text.runs import Headline, headline, run_totals
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
    Console(file=screen, width=140).print(view(analyze(run), START + 1100))

    assert analyze(run).summary.seconds_lost == 965.0
    assert screen.getvalue().count("965.0 s") == 2


def test_one_process_that_was_recorded_twice(tmp_path: Path) -> None:
    recapturing().write(tmp_path / "trace_0.log")
    recapturing(START + 5000).write(tmp_path / "trace_1.log")
    run = ca_reports.load([tmp_path])
    said = run_totals(run, analyze(run).summary)

    assert len(run.processes) == 2
    assert "(99%) in 2 recordings." in said


def test_a_run_without_recompiles_is_good(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.torch_capture(0)
    log.compiled("!0/0/0", 0.5)
    log.ca_backwards([(0, 1), (0, 0)])
    log.ca_end(START + 60, 2, 1)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert headline(run, analyze(run).summary) == Headline("No recompiles.", "good")


def test_a_loss_that_the_log_does_not_tell_is_unknown(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    summary = replace(analyze(run).summary, seconds_lost=None, recaptures=1)
    found = headline(run, summary)
    assert found.text == "1 recompile; this log has no times, so the loss is unknown."
    assert found.tone == "neutral"


def test_an_empty_log_lost_nothing_that_anybody_knows() -> None:
    run = Run((), (), ())
    assert headline(run, analyze(run).summary) == Headline("Nothing was recorded.", "neutral")
