"""Runs of compiles with their times and caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ca_reports
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

# As torch 2.13.0 writes them with Inductor on a CPU, of two starts of one program.
COLD = {
    "backend_compile_time_s": 35.34,
    "aot_autograd_cumulative_compile_time_us": 35_340_000,
    "inductor_cumulative_compile_time_us": 34_250_000,
    "inductor_fx_local_cache_miss_count": 1,
    "aotautograd_local_cache_miss_count": 1,
}


def run_of(folder: Path, *compiles: tuple[str, float, dict[str, Any]]) -> Run:
    log = LogWriter()
    log.ca_run(enabled=False)
    for compile_id, seconds, metrics in compiles:
        log.compiled(compile_id, seconds, **metrics)
    log.ca_end(START + 60, backwards=0, hits=0)
    return ca_reports.load([run_folder(folder, log)])
