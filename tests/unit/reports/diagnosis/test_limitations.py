"""What a report could not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.diagnosis.limitations import limitations
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.filereading import read_file
from ca_reports.run.model import Recorded, Run
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_compiles_beyond_the_bound_are_counted_and_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    bounds = Bounds.of_one_among(1024)
    for number in range(bounds.compiles + 30):
        log.compiled(f"0/{number}")
    result = read_file(str(log.write(tmp_path / "x.log")), bounds)
    (process,) = result.processes
    assert len(process.compiles) == bounds.compiles
    # Each of them writes several records, and is one compile.
    left_out = [found for found in result.damage if found.kind == "too_many_compiles"]
    assert sum(found.count for found in left_out) == 30
    run = Run(paths=(), files=(), processes=tuple(result.processes), damage=tuple(result.damage))
    told = {found.subject: found.text for found in limitations(run)}
    assert told["compiles"] == (
        "All that was compiled: 30 compiles beyond the first 2,000 are in no count and no finding."
    )


def test_calls_of_what_was_compiled_before_the_recording_are_calls(tmp_path: Path) -> None:
    """As in a notebook's second recording, where all calls hit what the first one compiled."""
    log = LogWriter()
    log.ca_run(enabled=False)
    log.own("ca_sizes", graph="1/0", inputs={"x": [4]}, symbols=[], sizes=[[]], calls=[3],
            steps=[0.1], seconds=[0.1], left_out=0, first_call=5, last_call=7)  # fmt: skip
    log.ca_end(1.0, backwards=0, hits=0)
    result = read_file(str(log.write(tmp_path / "x.log")), Bounds.of_one_among(1))
    run = Run(paths=(), files=(), processes=tuple(result.processes))
    (gap,) = limitations(run)
    assert "3 calls of compiled code ran what was compiled before the recording began" in gap.text
    assert "was called" not in gap.text


def test_calls_of_what_the_recording_saw_compiled_are_not_of_earlier_compiles(
    tmp_path: Path,
) -> None:
    """As where the capture of the backward failed, and the forward was compiled and called."""
    log = LogWriter()
    log.ca_run(enabled=True)
    log.compiled("1/0")
    log.own("ca_sizes", graph="1/0", inputs={"x": [4]}, symbols=[], sizes=[[]], calls=[1],
            steps=[0.1], seconds=[0.1], left_out=0, first_call=5, last_call=7)  # fmt: skip
    log.own("ca_hazard", kind="backward_failed", id=0, step=0, stack=[], count=1)
    log.ca_end(1.0, backwards=0, hits=0)
    result = read_file(str(log.write(tmp_path / "x.log")), Bounds.of_one_among(1))
    run = Run(paths=(), files=(), processes=tuple(result.processes))
    assert [process.graph_sizes[0].calls for process in run.processes] == [(1,)]
    (gap,) = limitations(run)
    assert gap.text == "No backward was captured: torch refused to."


def test_a_torch_that_the_engine_is_not_for_is_said_where_something_was_captured(
    tmp_path: Path,
) -> None:
    log = LogWriter()
    log.ca_run(engine="torch", engine_needs="2.11 to 2.15", versions={"torch": "2.8.0+cu128"})
    assert "engine" not in subjects(log, tmp_path / "without.log")
    log.ca_capture(0)
    assert subjects(log, tmp_path / "with.log")["engine"] == (
        "ca's own engine was off: it is for torch 2.11 to 2.15, and this was torch 2.8.0+cu128. "
        "Torch's own captured."
    )


def test_a_run_with_a_torch_that_the_recorder_is_not_for_says_so(tmp_path: Path) -> None:
    log = LogWriter()
    log.compiled("0/0")
    path = tmp_path / "x.log"
    assert "recorder" not in subjects(log, path)  # torch's own trace, and no run of ours
    told = subjects(log, path, Recorded(folder=str(tmp_path)))
    assert "it needs torch 2.8 or later (`ca doctor`)" in told["recorder"]


def subjects(log: LogWriter, path: Path, *recorded: Recorded) -> dict[str, str]:
    processes = tuple(read_file(str(log.write(path)), Bounds()).processes)
    run = Run(paths=(), files=(), processes=processes, recorded=recorded)
    return {found.subject: found.text for found in limitations(run)}
