"""What is shown while runs go on: a bar on a terminal, lines elsewhere, nothing if asked for."""

from __future__ import annotations

import io
import sys

import pytest

from ca_cli.trial_progress import TrialProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_say_which_run_it_is_and_how_long_it_may_take(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = TrialProgress((2, 2), expected=12.3)
    progress.begin("as is", "no patch")
    progress.wait(3.0)
    progress.end()
    progress.expected = None
    progress.begin("CA101", "drop_last=True")
    progress.end()
    progress.begin("as is", "once more")
    assert capsys.readouterr().err.splitlines() == [
        "ca: run 1 of 2: as is: no patch (about 12 s) …",
        "ca: run 2 of 2: CA101: drop_last=True …",
        "ca: run 3 of up to 3: as is: once more …",
    ]


def test_how_many_there_will_be_may_not_be_known(capsys: pytest.CaptureFixture[str]) -> None:
    TrialProgress((4, 9)).begin("as is", "no patch")
    TrialProgress().begin("dynamic", "dynamic=True on every compile")
    assert capsys.readouterr().err.splitlines() == [
        "ca: run 1 of up to 9: as is: no patch …",
        "ca: run 1: dynamic: dynamic=True on every compile …",
    ]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    progress = TrialProgress((2, 2), expected=12.3, quiet=True)
    progress.begin("as is", "no patch")
    progress.wait(1.0)
    progress.end()
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    progress = TrialProgress((2, 2), expected=10.0)
    progress.begin("CA101", "x[1:2] of [bold]")
    progress.wait(5.0)
    progress.end()
    shown = terminal.getvalue()
    assert "run 1 of 2: CA101: x[1:2] of [bold]" in shown
    assert "about 10 s" in shown
    assert shown.endswith("\x1b[2K")
    progress.end()  # nothing to take away


def test_a_narrow_terminal_cuts_the_words_and_not_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "dumb-and-plain")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    progress = TrialProgress((3, 9), expected=10.0)
    progress.begin("CA101", "drop_last=True at each of the loaders that the program makes")
    progress.end()
    shown = terminal.getvalue()
    assert "run 1 of up to 9: CA101: drop_last" in shown
    assert "0:00:00 (about 10 s)" in shown
