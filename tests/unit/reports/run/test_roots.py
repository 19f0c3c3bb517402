"""Whose source may be read without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.run import seal
from tests.unit.logwriter import LogWriter, frame
from tests.unit.reports.program.recordings import recorded, shown

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_recorded_here_shows_its_source(project: Path) -> None:
    folder = recorded(project)
    seal.write(folder, str(project))
    assert shown(ca_reports.load([folder]), project) == "SECRET = 1\nloss.backward()\n"
    assert seal._key_file().stat().st_mode & 0o777 == 0o600


def test_the_folder_of_a_script_elsewhere_is_the_users_own_too(project: Path) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    folder = recorded(elsewhere, script_folder=str(project))
    seal.write(folder, str(elsewhere), str(project))

    assert shown(ca_reports.load([folder]), project) == "SECRET = 1\nloss.backward()\n"


def test_a_log_from_elsewhere_beside_a_run_of_ones_own_closes_both(project: Path) -> None:
    folder = recorded(project)
    seal.write(folder, str(project))
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, stack=[frame(str(project / "train.py"), 1, "f", "SECRET = 1")])
    stranger = log.write(project.parent / "stranger.log")
    assert shown(ca_reports.load([folder, stranger]), project) is None
