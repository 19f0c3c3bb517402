"""What a report could not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.build.bounds import Bounds
from ca_reports.gather.filereading import read_file
from ca_reports.limitations import limitations
from ca_reports.model import Run
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
