"""What a command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli.inputs import load, load_analysis, resolve
from ca_reports.errors import CaError, NothingReadable
from tests.unit.logwriter import sample_run
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_without_paths_it_is_the_newest_run_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NothingReadable):
        resolve(None)
    run_folder(tmp_path / "ca-runs" / "old", sample_run(), start=1.0)
    run_folder(tmp_path / "ca-runs" / "new", sample_run(), start=2.0)
    assert resolve(None) == resolve([]) == ["ca-runs/new"]
    assert resolve(["a", "b"]) == ["a", "b"]
    assert len(load(None).captures) == 3


def test_an_editor_that_is_none_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(CaError, match="--editor"):
        load_analysis([str(tmp_path / "there is none")], editor="a stone")


def test_what_is_left_out_is_what_only_a_page_shows(log: Path) -> None:
    analysis = load_analysis([str(log)], ignore=["CA206"])
    assert analysis.run.captures == load([str(log)]).captures
    assert "CA206" not in {found.code for found in analysis.diagnosis.findings}
