"""One line in a terminal below whatever the program writes there, which goes away again.

The cursor stays where the program left it, so a progress bar goes on redrawing its own line, and a
line that was begun is gone on with. What the program writes meanwhile comes first: the line is
taken away, the text written, and the line put below it. Standard library only.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable
from typing import Any, TextIO

from ca_engine.compat.progress_bars import rows_of_bars

# Go one line down, which scrolls at the end of the screen, and up again: there is a line below.
_DOWN, _UP = "\x1bD", "\x1bM"
_SAVE, _RESTORE, _NEXT, _CLEAR = "\x1b7", "\x1b8", "\x1bE", "\x1b[2K"
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
# While the program writes without a break, the line is put back this often at most, in seconds.
_PAUSE = 0.1


class TerminalLine:
    """The line of one terminal; `show` puts a text there or replaces it, `clear` takes it away."""

    def __init__(self, descriptor: int) -> None:
        """Write to ``descriptor``, which is a terminal."""
        self._descriptor = descriptor
        self._text = ""
        self._rows = 0  # below the cursor, of the line that is shown; 0 if none is
        self._shown_at = 0.0
        self._hooked: list[TextIO] = []
        self._lock = threading.RLock()  # reentrant: a signal's handler may print
        os.register_at_fork(after_in_child=self._forget)

    def show(self, text: str) -> None:
        """Put ``text`` below the cursor, cut to the width of the terminal."""
        with self._lock:
            if not self._hooked:
                self._hook()
            self._text = text
            self._draw()

    def clear(self) -> None:
        """Take the line away."""
        with self._lock:
            self._text = ""
            self._erase()
            self._unhook()

    def _draw(self) -> None:
        self._erase()
        columns = shutil.get_terminal_size().columns
        rows = 1 + rows_of_bars()
        room = _DOWN * rows + _UP * rows
        told = _DIM + _cut(self._text, columns - 1) + _PLAIN
        self._write(room + _SAVE + _NEXT * rows + _CLEAR + told + _RESTORE)
        self._rows, self._shown_at = rows, time.monotonic()

    def _erase(self) -> None:
        if self._rows:
            self._write(_SAVE + _NEXT * self._rows + _CLEAR + _RESTORE)
            self._rows = 0

    def _write(self, text: str) -> None:
        try:
            os.write(self._descriptor, text.encode("utf-8", "replace"))
        except OSError:
            self._text = ""  # the terminal is gone, or takes nothing now

    # ---- what the program writes meanwhile

    def _hook(self) -> None:
        """Let each write to the program's own streams take the line away first."""
        for stream in {id(each): each for each in _streams()}.values():
            if "write" not in vars(stream):
                vars(stream)["write"] = self._hooked_write(stream.write, stream.flush)
                self._hooked.append(stream)

    def _unhook(self) -> None:
        for stream in self._hooked:
            vars(stream).pop("write", None)
        self._hooked.clear()

    def _hooked_write(
        self, write: Callable[[str], int], flush: Callable[[], None]
    ) -> Callable[[str], int]:
        def hooked(text: str) -> int:
            with self._lock:
                if not self._rows:
                    return write(text)
                self._erase()
                written = write(text)
                flush()
                if self._text and time.monotonic() - self._shown_at > _PAUSE:
                    self._draw()
                return written

        return hooked

    def _forget(self) -> None:
        """In a child that was forked: the line is its parent's."""
        self._lock = threading.RLock()
        self._rows, self._text = 0, ""
        self._unhook()


def _streams() -> list[TextIO]:
    streams: list[Any] = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    return [
        each
        for each in streams
        if isinstance(each, io.TextIOWrapper) and not each.closed and each.isatty()
    ]


def _cut(text: str, columns: int) -> str:
    """Return as much of ``text`` as ``columns`` hold, without what moves a cursor."""
    shown, width = "", 0
    for character in text:
        if not character.isprintable():
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > columns:
            return shown[:-1] + "…"
        shown += character
    return shown
