"""The files of a program, as they were when it ran."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import propose_for
from ca_reports.program.files import RecordedSource, SourceFiles
from ca_reports.run.model import Recorded, Run
from tests.unit.reports.patching.programs import (
    STARTED,
    finding_of,
    patched,
    program_of,
    with_loader,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    source = with_loader("DataLoader(\n    data,\n    batch_size=8,\n)").replace("\n", "\r\n")
    changed = patched("CA101", tmp_path, source)
    assert changed.count("\n") == changed.count("\r\n") == source.count("\n") + 1
    assert "    drop_last=True,\r\n)" in changed


def test_a_file_that_changed_since_is_left(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch\nfrom data import loader\ntorch.compile(f)(x).backward()\n",
        "data.py": with_loader("DataLoader(data)"),
    }
    program = program_of(tmp_path, files)
    os.utime(tmp_path / "data.py")
    proposal = propose_for(finding_of("CA101", tmp_path, ("train.py", 3)), program)
    # Nor is the other remedy offered, whose file is as it was: the cause may be gone.
    assert not proposal.patches
    assert proposal.refusal == "data.py changed since the run: run it again"


@pytest.mark.parametrize("changed", [False, True])
def test_a_hash_tells_better_than_times_whether_a_file_changed(
    tmp_path: Path, changed: bool
) -> None:
    """A checkout touches files that it does not change, and an editor may keep a time."""
    files = {
        "train.py": "from data import loader\nloss.backward()\n",
        "data.py": with_loader("DataLoader(d)"),
    }
    program_of(tmp_path, files)  # written
    data = str(tmp_path / "data.py")
    ran = SourceFiles([tmp_path]).current(data)
    assert ran is not None
    if changed:
        (tmp_path / "data.py").write_text(with_loader("DataLoader(other)"))
        os.utime(data, (STARTED - 100, STARTED - 100))
    else:
        os.utime(data)
    recorded = Recorded("r", script="train.py", cwd=str(tmp_path), start=STARTED)
    kept = {data: RecordedSource(ran.digest, None)}
    run = Run((), (), (), recorded=(recorded,), source_roots=(str(tmp_path),), source=kept)
    program = EditableProgram(run, SourceFiles.of(run))
    proposal = propose_for(finding_of("CA101", tmp_path, ("train.py", 2)), program)
    assert bool(proposal.patches) != changed
    assert not changed or proposal.refusal == "data.py changed since the run: run it again"
