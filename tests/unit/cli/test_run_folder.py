"""The folder of a run: its name, and its run.json."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from ca_cli import run_folder
from ca_cli.errors import UsageError

NOW = datetime(2026, 4, 1, 9, 30, 5)


# --- the run folder -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("train", "train-20260401-093005"),
        ("package.train", "package.train-20260401-093005"),
        ("my script (2)", "my_script_2-20260401-093005"),
        ("../../etc", "etc-20260401-093005"),
        ("...", "run-20260401-093005"),
        ("", "run-20260401-093005"),
        ("-c", "c-20260401-093005"),
        ("x" * 300, "x" * 80 + "-20260401-093005"),
    ],
)
def test_folder_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: str
) -> None:
    monkeypatch.chdir(tmp_path)

    created = run_folder.create(None, name, NOW)

    assert created == tmp_path / "ca-runs" / folder
    assert (created / "trace").is_dir()


def test_folders_of_one_second_are_numbered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    names = [run_folder.create(None, "train", NOW).name for _ in range(3)]

    assert names == [f"train-20260401-093005{end}" for end in ("", "-2", "-3")]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"run"'])
def test_a_run_file_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)

    with pytest.raises(UsageError, match=r"run\.json"):
        run_folder.read_run_file(tmp_path)
