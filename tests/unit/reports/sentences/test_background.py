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
from ca_reports.sentences.background import background_lines
from tests.unit.logwriter import LogWriter

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
        "Compiled 2 of 2 graphs in the background, in 5.0 s, of which the program waited 0.20 s; "
        "full speed 42.0 s after the start. Until then 14 calls ran as aot_eager runs them."
    ]


def test_nothing_is_said_of_full_speed_before_all_took_over(tmp_path: Path) -> None:
    run = run_of(tmp_path, READY, {"state": "compiling"}, {"state": "compiling"})
    first, second = background_lines(run)
    assert "full speed" not in first
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
