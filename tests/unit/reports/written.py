"""Logs and run folders, written and read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.unit.logwriter import LogWriter, run_file

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


def loaded(log: LogWriter, folder: Path) -> Run:
    return ca_reports.load([log.write(folder / "trace.log")])


def subjects(run: Run) -> set[str]:
    return {found.subject for found in analyze(run).limitations}


def run_folder(folder: Path, *logs: LogWriter, **recorded: Any) -> Path:
    """A run folder with these logs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run_file(**recorded)))
    for index, log in enumerate(logs):
        log.write(folder / "trace" / f"dedicated_log_torch_trace_{index}.log")
    return folder
