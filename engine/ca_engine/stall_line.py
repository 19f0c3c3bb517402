"""While a compile makes the program wait: one line in the terminal that says what for.

``compiling loss_of, the 3rd time: temperature 0.9 → 0.8, 14 s so far``. A thread writes it, which
lives for as long as something is compiled.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence

from ca_engine import guards
from ca_engine.compat.resumes import resumed
from ca_engine.lazy_expressions import expression
from ca_engine.schema import FailedGuardRecord
from ca_engine.terminal_line import TerminalLine

# In seconds: what is shorter needs no word, and how often the line is renewed.
APPEARS_AFTER = 2.0
_RENEWED_EACH = 0.5
# Terminals whose cursor stays where it is, as an editor's.
_UNMOVED = ("dumb", "unknown")
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_MAX_NAMES = 10_000
_MAX_VALUE = 24
# Dynamo's ways to write a variable and what a module registers.
_VARIABLE = expression(r"\b[GL]\['(\w+)'\]")
_MEMBER = expression(r"\.(?:_modules|_parameters|_buffers|__dict__)\['([^'\\]*)'\]")


class StallLine:
    """Follows compiles, which may lie within one another, and shows the outermost that takes long.

    Implements what `Installation` tells of compiles.
    """

    def __init__(self, line: TerminalLine) -> None:
        """Write to ``line``."""
        self._line = line
        self._lock = threading.Lock()
        self._began = 0.0
        self._open: list[str] = []  # compile ids, outermost first
        self._texts: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._done = threading.Event()
        self._next: tuple[str, Sequence[str], Sequence[FailedGuardRecord]] | None = None
        os.register_at_fork(after_in_child=self._forget)

    def begins(self, compile_id: str) -> None:
        """Compile ``3/0`` begins; one whose name is known already is that of its backward."""
        with self._lock:
            self._open.append(compile_id)
            name = self._names.get(compile_id)
            if self._next is not None:
                self._name(compile_id, *self._next)
                self._next = None
            elif name is not None:
                self._texts[compile_id] = f"compiling the backward of {name}"
            if len(self._open) > 1:
                return
            self._began, self._done = time.monotonic(), threading.Event()
        threading.Thread(target=self._show, args=(self._done,), daemon=True).start()

    def named(
        self, function: str, failed: Sequence[str], held: Sequence[FailedGuardRecord]
    ) -> None:
        """Note what the compile is of that begins next, or that has begun and has no name.

        ``failed`` are torch's reasons, if it is a recompile; ``held`` what is guarded holds now.
        """
        with self._lock:
            if self._open and self._open[-1] not in self._texts:
                self._name(self._open[-1], function, failed, held)
            else:
                self._next = (function, failed, held)

    def _name(
        self,
        compile_id: str,
        function: str,
        failed: Sequence[str],
        held: Sequence[FailedGuardRecord],
    ) -> None:
        name = _shown_name(function)
        if len(self._names) < _MAX_NAMES:
            self._names[compile_id] = name
        self._texts[compile_id] = "compiling " + name + _again(compile_id, failed, held)

    def ends(self, compile_id: str) -> None:
        """Compile ``3/0`` has ended: the line is gone when this returns."""
        with self._lock:
            if compile_id in self._open:  # and whatever within it ended without a word
                del self._open[self._open.index(compile_id) :]
                self._texts.pop(compile_id, None)
            if self._open:
                return
            self._done.set()
            self._line.clear()

    def _forget(self) -> None:
        """In a child that was forked: its parent says what is compiled."""
        self._lock = threading.Lock()
        self._open.clear()

    def _show(self, done: threading.Event) -> None:
        if done.wait(APPEARS_AFTER):
            return
        while True:
            with self._lock:
                if done.is_set() or not self._open:
                    return
                taken = time.monotonic() - self._began
                what = self._texts.get(self._open[0], "compiling a graph")
                self._line.show(f"ca: {what}, {taken:.0f} s so far")
            if done.wait(_RENEWED_EACH):
                return


def of_terminal() -> StallLine | None:
    """Return one for the terminal that is this process's stderr; None without one that can."""
    stream = sys.__stderr__
    try:
        if stream is None or not stream.isatty() or os.environ.get("TERM") in _UNMOVED:
            return None
        return StallLine(TerminalLine(stream.fileno()))
    except (OSError, ValueError):
        return None  # closed


def _shown_name(function: str) -> str:
    rest_of = resumed(function)
    return function if rest_of is None else f"the rest of {rest_of}"


def _again(compile_id: str, failed: Sequence[str], held: Sequence[FailedGuardRecord]) -> str:
    """Return ``, the 3rd time: temperature 0.9 → 0.8``; empty for the first compile of a code."""
    number = compile_id.rpartition("/")[2]
    if not failed or not number.isdecimal():
        return ""
    nth = int(number) + 1
    suffix = "th" if nth % 100 in (11, 12, 13) else _ORDINALS.get(nth % 10, "th")
    guard = guards.parse(failed[0])[0]
    now = guard.actual
    if now is None and guard.kind == "value" and held and "value" in (held[0]["held"] or {}):
        now = repr((held[0]["held"] or {}).get("value"))
    why = ""
    if guard.source and guard.expected and now is not None and guard.expected != now:
        place = _in_short(guard.source)
        if guard.kind == "size":
            place = f"{place} in dimension {guard.index}:"
        why = f": {place} {guard.expected[:_MAX_VALUE]} → {now[:_MAX_VALUE]}"
    elif guard.source:
        why = f": {_in_short(guard.source)} changed"
    return f", the {nth}{suffix} time{why}"


def _in_short(source: str) -> str:
    """Return ``net.layers.0.scale`` of ``G['net']._modules['layers']._modules['0'].scale``."""
    return _MEMBER.sub(r".\1", _VARIABLE.sub(r"\1", source))
