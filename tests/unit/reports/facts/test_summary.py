"""The numbers of a run, and the sentence that says them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.runs import run_counts
from ca_reports.output.watch import view
from tests.unit.logwriter import START, LogWriter
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


def test_a_function_that_two_processes_compile_is_one(tmp_path: Path) -> None:
    line = ("app.py", 3, "forward", "return x * 2")
    logs = []
    for process in range(2):
        log = LogWriter()
        log.pid += process
        log.ca_run(enabled=False)
        for compile_id in ("0/0", "0/1", "1/0"):
            log.compiled(compile_id, stack=[line])
        logs.append(log.write(tmp_path / f"{process}.log"))
    run = ca_reports.load(logs)
    summary = analyze(run).summary
    assert (summary.forward_compiles, summary.forward_functions) == (6, 2)
    assert run_counts(run, summary).startswith("6 compiles of 2 functions by 2 processes")
