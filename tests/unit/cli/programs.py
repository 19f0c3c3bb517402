"""Runs that were recorded of a program, for what `ca fix` does with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.run.model import Recorded, Run

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram


def run_of(folder: Path, *command: str) -> Run:
    recorded = Recorded(str(folder / "run"), command=command, cwd=str(folder))
    return Run((), (), (), recorded=(recorded,))


def program_at(folder: Path, text: str) -> EditableProgram:
    from ca_reports.patching.program import EditableProgram
    from ca_reports.program.files import SourceFiles

    (folder / "train.py").write_text(text)
    recorded = Recorded(str(folder / "run"), script="train.py", cwd=str(folder))
    run = Run((), (), (), recorded=(recorded,), source_roots=(str(folder),))
    return EditableProgram(run, SourceFiles.of(run))
