"""The editor that links to source open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli.editor import choose_editor
from ca_reports.errors import CaError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_one_that_is_wanted_comes_before_the_one_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "ca.toml").write_text('editor = "pycharm"\n')
    of_settings, wanted = choose_editor(None, tmp_path), choose_editor("vscode", tmp_path)
    assert of_settings is not None
    assert wanted is not None
    assert of_settings != wanted
    with pytest.raises(CaError, match="--editor"):
        choose_editor("a stone", tmp_path)


def test_settings_that_cannot_be_read_cost_the_links_and_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ca.toml").write_text("editor = \n")
    assert choose_editor(None, tmp_path) is None
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "(ignored)" in told


def test_without_settings_the_system_decides(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert choose_editor(None, tmp_path) is None
