"""What a run folder says of its run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from tests.unit.logwriter import sample_run
from tests.unit.reports.written import run_folder, subjects

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_folder(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "train-1", sample_run())
    (folder / "report.html").write_text("<html>")
    (folder / "exit_code").write_bytes(b"\x03")
    run = ca_reports.load([folder])
    assert not run.damage
    assert run.recorded[0].exit_code == 3
    assert run.recorded[0].command == ("ca", "run", "train.py")
    assert len(run.captures) == 3


def test_a_run_that_died_before_any_record(tmp_path: Path) -> None:
    run = ca_reports.load([run_folder(tmp_path / "train-1", end=None, exit_code=None)])
    assert run.processes == ()
    assert run.recorded[0].exit_code is None
    assert subjects(run) == {"trace"}
    summary = json.loads(json_output.render(analyze(run)))["summary"]
    assert summary["backwards"] is None
    assert summary["seconds_lost"] is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"start": "x", "versions": 3}'])
def test_a_broken_run_file_is_damage(content: bytes, tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "train-1", sample_run())
    (folder / "run.json").write_bytes(content)
    run = ca_reports.load([folder])
    assert len(run.captures) == 3
    assert run.recorded[0].start is None
    assert bool(run.damage) == (content[:2] != b'{"')
