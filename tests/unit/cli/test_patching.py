"""Writing a patch to the files of the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ca_cli import patching
from ca_cli.errors import UsageError
from tests.unit.cli.programs import program_at


def test_each_version_is_kept(tmp_path: Path) -> None:
    patching.apply(program_at(tmp_path, "1\n"), {"train.py": "2\n"})
    patching.apply(program_at(tmp_path, "3\n"), {"train.py": "4\n"})
    assert (tmp_path / "train.py").read_text() == "4\n"
    assert (tmp_path / "train.py.orig").read_text() == "1\n"
    assert (tmp_path / "train.py.orig2").read_text() == "3\n"


def test_a_file_that_changed_meanwhile_stays(tmp_path: Path) -> None:
    program = program_at(tmp_path, "1\n")
    (tmp_path / "train.py").write_text("mine\n")
    with pytest.raises(UsageError, match="changed since then"):
        patching.apply(program, {"train.py": "2\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.parametrize("locked", ["train.py", "."])
def test_what_cannot_be_written_to_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    program = program_at(tmp_path, "1\n")
    # The administrator, as whom containers test, may write everywhere: the answer is a file's.
    access = os.access

    def answers(path: Path, mode: int) -> bool:
        return access(path, mode) and not (mode == os.W_OK and path == (tmp_path / locked))

    monkeypatch.setattr(os, "access", answers)
    with pytest.raises(UsageError, match="cannot be written to: apply the diff elsewhere"):
        patching.apply(program, {"train.py": "2\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]
    assert (tmp_path / "train.py").read_text() == "1\n"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    program = program_at(folder, "1\n")
    (tmp_path / "theirs.py").write_text("1\n")
    (folder / "train.py").unlink()
    (folder / "train.py").symlink_to(tmp_path / "theirs.py")
    with pytest.raises(UsageError, match="is outside of"):
        patching.apply(program, {"train.py": "2\n"})
    assert (tmp_path / "theirs.py").read_text() == "1\n"
