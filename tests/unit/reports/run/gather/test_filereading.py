"""One file, read whole: what is kept of it is bounded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import ca_reports
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path


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
