"""One file, read whole: what is kept of it is bounded."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import ca_reports
from ca_reports.build.bounds import Bounds
from ca_reports.gather.filereading import read_file
from ca_reports.limitations import limitations
from ca_reports.model import Run
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_what_one_of_many_files_keeps_is_bounded(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for batch in range(30):
        log.ca_backwards([(0, 0)] * 1000, first_step=batch * 1000)
    for id in range(700):
        log.ca_capture(id)
    path = str(log.write(tmp_path / "x.log"))
    bounds = Bounds.of_one_among(1024)
    result = read_file(path, bounds)
    (process,) = result.processes
    assert len(process.captures) == bounds.captures == 500
    assert process.backwards is not None
    assert len(process.backwards) == bounds.rows == 10_000
    assert process.backwards.count == 30_000
    assert "too_many" in {damage.kind for damage in result.damage}
    assert len(pickle.dumps(result)) < 1_000_000


def test_guards_of_captured_graphs_are_read_for_pages_only(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for compile_id in ("!0/0/0", "1/0"):
        log.compiled(compile_id, 1.0)
        log.record("dynamo_cpp_guards_str", {}, "+- guard\n" * 9_000, **log.context(compile_id))
    path = log.write(tmp_path / "a.log")

    whole, lean = ca_reports.load([path]), ca_reports.load([path], all_guards=False)

    assert [bool(found.guards) for found in whole.compiles] == [True, True]
    assert [bool(found.guards) for found in lean.compiles] == [False, True]
    assert [replace(found, guards=None) for found in lean.compiles] == [
        replace(found, guards=None) for found in whole.compiles
    ]
    assert lean.processes[0].records == whole.processes[0].records
    assert lean.damage == whole.damage == ()


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
