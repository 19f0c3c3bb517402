"""The screen of a run in progress."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from ca_engine import schema
from ca_reports import load
from ca_reports.causes.findings import Diagnosis
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import terminal
from ca_reports.output.watch import view
from ca_reports.run.gather.follow import Follower
from ca_reports.run.model import Compile, Frame, Process, Run
from tests.unit.logwriter import START, LogWriter, run_file, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Run

CODE = Frame("/work/train.py", 4, "forward", "def forward(self, x):")


def compiled(number: int, reason: str | None = None, seconds: float = 2.0) -> Compile:
    return Compile(
        f"0/{number}", 0, None, 1, None, recompile_reason=reason, location=CODE, seconds=seconds,
        time=100.0 + number,
    )  # fmt: skip


def screen(*compiles: Compile) -> str:
    process = Process(
        index=0,
        file="log",
        rank=None,
        pid=1,
        records=9,
        recorded=True,
        compiles=compiles,
        last=105.0,
    )
    console = Console(width=150, record=True, file=StringIO())
    run = Run(paths=("run",), files=("log",), processes=(process,))
    console.print(view(analyze(run), now=110.0))
    return console.export_text()


def test_a_run_without_compiled_autograd_is_about_its_forwards() -> None:
    # GIVEN an evaluation variant, which is inherent, and a recompile that is not
    told = screen(
        compiled(0),
        compiled(1, "0/0: self._modules['drop'].training == True"),
        compiled(2, "0/1: mode == 'a'", seconds=3.0),
    )

    # THEN compiles are told, not backwards, and only the second is lost
    assert "captured" not in told
    lines = told.splitlines()
    assert lines[1].rstrip() == (
        "Lost 3.0 s to 1 cause; 2.0 s more for 1 recompile (for another mode)."
    )
    at = next(number for number, line in enumerate(lines) if line.startswith("process"))
    head, row = lines[at], lines[at + 2]
    assert " ".join(head.split()) == (
        "process compiles recompiles graph breaks compiling lost last record"
    )
    assert " ".join(row.split()) == "pid 1 3 2 0 7.0 s 3.0 s 5 s ago"
    assert "mode == 'a'" in told
    assert "grad_mode" not in told
    assert "7.0 s; 2 recompiles (1 for another mode); no graph breaks." in told


def test_inherent_recompiles_alone_are_no_trouble() -> None:
    told = screen(compiled(0), compiled(1, "0/0: self._modules['drop'].training == True"))
    assert "No avoidable recompiles so far." in told
    assert "1 recompile (for another mode);" in told


def said(analysis: Analysis) -> tuple[list[str], list[str]]:
    """The lines of `ca watch` and those of `ca explain-recompiles`, of the same analysis."""
    screens = []
    for show in (
        lambda console: console.print(view(analysis, now=START)),
        lambda console: terminal.render(analysis, console),
    ):
        console = Console(width=200, file=StringIO())
        show(console)
        screens.append([line.strip() for line in console.file.getvalue().splitlines()])  # type: ignore[attr-defined]
    return screens[0], screens[1]


def test_it_names_the_costliest_and_the_latest_cause_with_the_figures_of_the_report(
    tmp_path: Path,
) -> None:
    # GIVEN a run with two causes, the later of which cost less
    analysis = analyze(load([sample_run().write(tmp_path / "x.log")]))
    first, *_ = analysis.diagnosis.findings
    later = replace(analysis.run.captures[-1], time=START + 9_999.0)
    cheap = replace(first, message="something else", seconds=0.5, events=(later,))
    analysis = replace(analysis, diagnosis=Diagnosis((first, cheap)))

    # THEN both are named, loss first, and every figure is the report's
    screen, report = said(analysis)
    assert screen[1] == report[0]
    assert f"costliest: {first.code} {first.message}" in screen
    assert f"latest: {cheap.code} something else" in screen
    costs = [line.removeprefix("cost: ") for line in report if line.startswith("cost: ")]
    told = [line for line in screen if " lost" in line and not line.startswith("Lost")]
    assert len(costs) == 2
    assert [cost.partition(" (")[0] for cost in costs] == told[:2]
    assert f"fix: {first.fix}" in screen


def watched(run: Run, now: float = START + 50) -> str:
    buffer = io.StringIO()
    Console(file=buffer, width=140).print(view(analyze(run), now))
    return buffer.getvalue()


def test_the_screen_of_a_run(tmp_path: Path) -> None:
    sample_run().write(tmp_path / "run" / "trace" / "x.log")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps(run_file(end=None, exit_code=None)))
    follower = Follower([str(tmp_path / "run")])
    follower.poll()
    text = watched(follower.poll())
    assert "running for 50 s" in text
    assert "pid 4711" in text
    assert "70%" in text
    assert "PowBackward0" in text
    assert text.index("!2") < text.index("!1 ")
    file.write_text(json.dumps(run_file()))
    assert "ended with exit code 0 after 9 s" in watched(follower.poll())


def test_the_screen_before_the_first_record(tmp_path: Path) -> None:
    (tmp_path / "run" / "trace").mkdir(parents=True)
    (tmp_path / "run" / "run.json").write_text(json.dumps(run_file(end=None)))
    assert "No process has written a record yet." in watched(
        Follower([str(tmp_path / "run")]).poll()
    )


def test_it_says_what_is_being_compiled_in_the_background(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/1", 0.5, start_time=START + 18)
    log.own(schema.BACKGROUND_RECORD, graph="0/1", state="compiling", time=START + 20)
    log.write(tmp_path / "run" / "trace" / "x.log")
    (tmp_path / "run" / "run.json").write_text(json.dumps(run_file(end=None, exit_code=None)))
    follower = Follower([str(tmp_path / "run")])
    follower.poll()
    assert "Compiling 1 graph in the background, the first for 30 s: 0/1 (" in watched(
        follower.poll()
    )


def test_nothing_of_a_log_steers_the_screen(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_capture(1, "unknown", reason="\x1b[2J[red]boo[/red]\u202e")
    log.write(tmp_path / "x.log")
    follower = Follower([str(tmp_path / "x.log")])
    follower.poll()
    text = watched(follower.poll())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]boo[/red]" in text
