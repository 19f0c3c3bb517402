"""What guards failed on in one run is what the next one looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.run.failing import failed_sources
from tests.unit.logwriter import LogWriter
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_sources_by_function_the_commonest_first(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=False)
    for number, source in enumerate((None, "self.scale", *("G['RATE']",) * 2)):
        compile_id = f"0/{number}"
        failed = f"0/{number - 1}"
        if source is not None:
            record = {"guards": [{"failed": failed, "source": source, "held": None}]}
            log.artifact("ca_guards", record, **log.context(compile_id))
        reason = None if source is None else f"{failed}: {source} == 1"
        log.compiled(compile_id, 0.5, recompile_reason=reason)
    run = ca_reports.load([run_folder(tmp_path / "run", log)])
    (first, *_) = run.compiles
    assert first.code is not None
    place = first.code.file, first.code.line
    assert failed_sources(run, 8) == ((*place, "G['RATE']"), (*place, "self.scale"))
    assert failed_sources(run, 1) == ((*place, "G['RATE']"),)
