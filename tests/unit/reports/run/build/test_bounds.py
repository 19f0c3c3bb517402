"""What one file keeps is bounded."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.filereading import read_file
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
