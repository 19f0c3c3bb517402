"""What is said of graphs that inductor compiles in another process."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import terminal
from ca_reports.sentences.background import background_lines, compiling_lines
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports import lowerings
from tests.unit.reports.lowerings import background_run

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

READY = {"state": "ready", "calls": 7, "compile_seconds": 2.5, "own_seconds": 0.1}


def run_of(folder: Path, *records: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    for number, record in enumerate(records):
        log.own(schema.BACKGROUND_RECORD, **{"graph": f"{number}/0", **record})
    return ca_reports.load([log.write(folder / "trace.log")])


def test_when_full_speed_was_reached(tmp_path: Path) -> None:
    start = run_of(tmp_path).processes[0].start
    assert start is not None
    run = run_of(tmp_path, {**READY, "time": start + 30}, {**READY, "time": start + 42})
    assert list(background_lines(run)) == [
        "Compiled 2 of 2 graphs in the background, in 5.0 s, of which the program waited 0.20 s. "
        "Until then 14 calls ran as aot_eager runs them.",
        "Full speed from 42.0 s after the start, when the last graph took over.",
    ]


def test_full_speed_is_that_of_captured_backwards_too(tmp_path: Path) -> None:
    later = {"time": START + 50, "cache": "miss", "background": lowerings.READY}
    assert list(background_lines(background_run(tmp_path, later))) == [
        "Full speed from 50.0 s after the start, when the last graph took over."
    ]
    guard = {**lowerings.READY, "state": "guard"}
    then = {"time": START + 90, "cache": "miss", "background": guard, "reason": "guard"}
    assert list(background_lines(background_run(tmp_path, later, then))) == [
        "Full speed from 50.0 s after the start, when the last graph took over."
    ]
    assert list(background_lines(background_run(tmp_path))) == []


def test_what_is_being_compiled(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.own(schema.BACKGROUND_RECORD, graph="0/0", state="ready", time=START + 3)
    for number in range(1, 5):
        log.own(schema.BACKGROUND_RECORD, graph=f"{number}/0", state="compiling", time=START + 4)
    log.ca_capture(0)
    log.own(schema.LOWERING_RECORD, **{"capture": 0, "time": START + 5, **lowerings.MISS})
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (said,) = compiling_lines(run, START + 34)
    assert said == (
        "Compiling 5 graphs in the background, the first for 30 s: 1/0, 2/0, 3/0, 4/0 and 1 more."
    )
    log.own("ca_end", time=START + 40)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(compiling_lines(run, START + 50)) == []


def test_nothing_is_said_of_full_speed_before_all_took_over(tmp_path: Path) -> None:
    run = run_of(tmp_path, READY, {"state": "compiling"}, {"state": "compiling"})
    first, second = background_lines(run)
    assert "Compiled 1 of 3" in first
    assert second == "Not compiled in the background before the end: 1/0 and 1 more."


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("refused", "Compiled while the program waited (device cuda): 0/0."),
        ("waited", "Compiled while the program waited, after all (device cuda): 0/0."),
        ("failed", "Not compiled; runs as aot_eager runs it (device cuda): 0/0."),
    ],
)
def test_what_was_in_the_way(state: str, said: str, tmp_path: Path) -> None:
    run = run_of(tmp_path, {"state": state, "reason": "device cuda"})
    assert list(background_lines(run)) == ["Compiled 0 of 1 graph in the background.", said]


def test_what_an_earlier_start_compiled(tmp_path: Path) -> None:
    run = run_of(tmp_path, {"state": "known"})
    assert list(background_lines(run)) == [
        "Took 1 of 1 graph from the caches that an earlier start filled."
    ]
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=120))
    assert "an earlier start filled" in out.getvalue()


def test_silence_where_it_was_off(tmp_path: Path) -> None:
    assert list(background_lines(run_of(tmp_path))) == []
