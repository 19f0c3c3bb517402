"""Lines of our own on stderr: one each for a program that reads them, wrapped for a person."""

from __future__ import annotations

import io
import sys

import pytest

from ca_cli.console import tell

LONG = "--verify runs `python train.py` in /home/me/project 3 times, to its end, about 46 s each"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_for_a_pipe_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    tell(LONG)
    assert pipe.getvalue() == f"ca: {LONG}\n"


def test_a_line_for_a_terminal_is_wrapped_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    tell(f"{LONG}\n\x1b[31m")
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 2
    assert all(len(line) <= 60 for line in lines)
    assert lines[1].startswith("    ")
    assert " ".join(line.strip() for line in lines).startswith(f"ca: {LONG}")
    assert "\x1b" not in terminal.getvalue()


def test_a_path_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    path = "/a-very/long-path/" + "x" * 60
    tell(f"cannot write {path}")
    assert path in terminal.getvalue()
