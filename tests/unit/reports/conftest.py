"""Fixtures of several tests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports.diagnosis.diagnose as diagnosing
from ca_reports.causes.rules.base import Rule
from ca_reports.logs.pieces import Piece
from ca_reports.run.gather import ahead

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> list[type[Rule]]:
    """Return the list of rules that are run; tests fill it."""
    used: list[type[Rule]] = []
    monkeypatch.setattr(diagnosing, "all_rules", lambda: tuple(used))
    return used


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pieces of which only the records were read."""
    found: list[int] = []
    blocks = Piece.blocks

    def counted(piece: Piece, *args: Any) -> Any:
        found.append(piece.size)
        return blocks(piece, *args)

    monkeypatch.setattr(Piece, "blocks", counted)
    # A thread that a library of an earlier test left behind would forbid it.
    monkeypatch.setattr(ahead, "can_fork", lambda: sys.platform == "linux")
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a script; the user's state lies elsewhere."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text("SECRET = 1\nloss.backward()\n")
    return folder
