"""The line below what a program writes, in a terminal of ours."""

from __future__ import annotations

import os
import pty
import sys
import types
from collections.abc import Iterator
from typing import TextIO

import pytest

from ca_engine import terminal_line
from ca_engine.terminal_line import TerminalLine
from tests.screen import Screen

_END = "\x1b[0;0m"


class Terminal:
    """A terminal of 40 columns: what is written to ``stream`` is on ``screen()``."""

    def __init__(self) -> None:
        self.master, self.descriptor = pty.openpty()
        self.stream: TextIO = os.fdopen(self.descriptor, "w", buffering=1)
        self._screen = Screen(40, 6)

    def screen(self) -> list[str]:
        """Return what is shown, once the terminal has passed on all that was written."""
        self.stream.flush()
        os.write(self.descriptor, _END.encode())
        told = ""
        while not told.endswith(_END):
            told += os.read(self.master, 1 << 16).decode()
        self._screen.feed(told.removesuffix(_END))
        return self._screen.lines


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    made = Terminal()
    monkeypatch.setenv("COLUMNS", "40")
    # Not in `sys`: pytest puts its own streams there.
    monkeypatch.setattr(terminal_line, "_streams", lambda: [made.stream])
    yield made
    made.stream.close()
    os.close(made.master)


def test_it_is_below_what_was_begun_and_goes_away(terminal: Terminal) -> None:
    line = TerminalLine(terminal.descriptor)
    terminal.stream.write("step 3: ")
    terminal.stream.flush()
    line.show("compiling")
    assert terminal.screen() == ["step 3:", "compiling"]
    line.clear()
    terminal.stream.write("loss 0.1")
    assert terminal.screen() == ["step 3: loss 0.1"]


def test_what_is_written_meanwhile_comes_above_also_where_the_screen_scrolls(
    terminal: Terminal,
) -> None:
    line = TerminalLine(terminal.descriptor)
    line.show("compiling")
    for number in range(10):
        print("tuning", number, file=terminal.stream)
    line.show("compiling still")
    told = [f"tuning {number}" for number in range(10)]
    assert terminal.screen() == [*told, "", "compiling still"]
    line.clear()
    assert terminal.screen() == told
    assert "write" not in vars(terminal.stream)


def test_it_is_cut_to_the_width_and_moves_no_cursor(terminal: Terminal) -> None:
    line = TerminalLine(terminal.descriptor)
    line.show("a\x1b[2J\n" + "x" * 60)
    assert terminal.screen() == ["", "a[2J" + "x" * 34 + "…"]
    line.clear()


def test_it_stands_below_the_bars_of_tqdm(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars = types.SimpleNamespace(_instances=[types.SimpleNamespace(pos=-1)])
    monkeypatch.setitem(sys.modules, "tqdm.std", types.SimpleNamespace(tqdm=bars))
    line = TerminalLine(terminal.descriptor)
    terminal.stream.write("outer\ninner\x1b[A\r")
    line.show("compiling")
    assert terminal.screen() == ["outer", "inner", "compiling"]
    line.clear()
    assert terminal.screen() == ["outer", "inner"]
