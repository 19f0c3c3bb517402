"""``ca caches --pack`` where nothing can be packed; test_caches.py in tests/integration packs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from ca_reports.run import seal
from tests.unit.reports.costs.caches.made import CacheLog, start_of
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_log_from_elsewhere_names_no_folder_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_folder(tmp_path / "run", start_of())
    assert main(["caches", "--pack", str(tmp_path / "run"), "-o", str(tmp_path / "w.cache")]) == 2
    assert "recorded on this machine by this user" in capsys.readouterr().err
    assert not (tmp_path / "w.cache").exists()


def test_a_run_that_asked_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    log = CacheLog()
    log.ca_run()
    log.compiled("0/0")
    folder = run_folder(tmp_path / "run", log, cwd=str(tmp_path))
    seal.write(folder, str(tmp_path))
    assert main(["caches", "--pack", str(folder), "-o", str(tmp_path / "w.cache")]) == 2
    assert "nothing to pack: this run asked no cache" in capsys.readouterr().err


@pytest.mark.parametrize("output", [[], ["-o", "-"]])
def test_it_needs_a_file(output: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["caches", "--pack", "run", *output]) == 2
    assert "--pack needs a file: -o FILE" in capsys.readouterr().err


def test_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folder(tmp_path / "run", start_of())
    theirs = tmp_path / "theirs"
    theirs.write_text("not ca's")
    assert main(["caches", "--pack", str(tmp_path / "run"), "-o", str(theirs)]) == 2
    assert theirs.read_text() == "not ca's"
    assert "--force" in capsys.readouterr().err
