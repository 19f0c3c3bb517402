"""Runs that were recorded in a project, and what is shown of its source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ca_reports.program.files import SourceFiles
from tests.unit.logwriter import START, LogWriter, frame, run_file

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


def recorded(project: Path, name: str = "run", **more: Any) -> Path:
    """A run folder of a run in ``project``, not sealed."""
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, stack=[frame(str(project / "train.py"), 2, "main", "loss.backward()")])
    log.ca_end(START + 1, 1, 0)
    folder = project.parent / name
    log.write(folder / "trace" / "dedicated_log_torch_trace_x.log")
    (folder / "run.json").write_text(json.dumps(run_file(cwd=str(project), **more)))
    return folder


def shown(run: Run, project: Path) -> str | None:
    return SourceFiles.of(run).text(str(project / "train.py"))
