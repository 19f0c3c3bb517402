"""The mark on a run folder that was recorded here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.run import seal
from tests.unit.logwriter import run_file
from tests.unit.reports.program.recordings import recorded, shown

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_folder_from_elsewhere_does_not(project: Path) -> None:
    assert shown(ca_reports.load([recorded(project)]), project) is None


@pytest.mark.parametrize("manner", ["another folder", "another cwd", "another key", "made up"])
def test_a_mark_is_of_one_folder_one_cwd_and_one_user(
    project: Path, manner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = recorded(project), recorded(project, "other")
    seal.write(folder, str(project))
    if manner == "another folder":
        (other / seal.FILE).write_bytes((folder / seal.FILE).read_bytes())
        folder = other
    elif manner == "another cwd":
        (folder / "run.json").write_text(json.dumps(run_file(cwd=str(project.parent))))
    elif manner == "another key":
        monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / "another"))
        seal.write(other, str(project))
    else:
        (folder / seal.FILE).write_text("0" * 128)
    assert shown(ca_reports.load([folder]), project) is None


def test_a_folder_that_was_added_to_the_record_is_not(project: Path) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    folder = recorded(elsewhere)
    seal.write(folder, str(elsewhere))
    added = run_file(cwd=str(elsewhere), script_folder=str(project))
    (folder / "run.json").write_text(json.dumps(added))

    assert shown(ca_reports.load([folder]), project) is None


def test_where_no_key_can_be_kept_nothing_is_marked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "file"))
    folder = recorded(project)
    seal.write(folder, str(project))
    assert not (folder / seal.FILE).exists()
    assert not seal.holds(folder, str(project))
