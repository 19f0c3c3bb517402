"""An hour of ``ca watch`` in a terminal, beside a log that grows to 1 GB."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.commands import CA
from benchmarks.watching import cpu, ends, grow, memory

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS, MOMENTS = 3_600.0, 12
# With a capture in each MB, and with one in each 12 MB: what is held grows with the captures.
MOST_MEMORY, MOST_OF_FEW = 85 << 20, 75 << 20
# In so many seconds the screen must be what `ca explain-recompiles` says: `ca watch` diagnoses
# every few seconds, and the commands share the machine.
MOST_LATE = 60.0

_PIECE = 1 << 18
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HEADLINE = re.compile(r"Lost [^\n]* of [^\n]* causes?\.")
_COUNTS = re.compile(r"[\d,]+ backwards: [^\n]*\.")


@dataclass(frozen=True)
class Moment:
    """After ``seconds`` and ``size`` bytes: peak memory of ``ca watch`` and its CPU seconds since.

    ``late`` is how long after the last byte the screen had the figures of `explain-recompiles`,
    None if it did not within `MOST_LATE`; ``said`` are those figures.
    """

    seconds: float
    size: int
    memory: int
    cpu: float
    late: float | None
    said: tuple[str, ...]


def measure(
    log: Path, grown: Path, seconds: float = SECONDS, moments: int = MOMENTS
) -> Iterator[Moment]:
    """Let ``grown`` grow into ``log`` in so many ``seconds``; stop and compare at ``moments``."""
    grown.touch()
    pieces = list(ends(log, _PIECE))
    with _watched(grown) as watched, grown.open("wb", buffering=0) as target:
        begin, before = time.monotonic(), 0.0
        for number, end in enumerate(pieces, 1):
            while (time.monotonic() - begin) / seconds < number / len(pieces):
                watched.sample()
                time.sleep(min(0.5, seconds / len(pieces)))
            grow(log, target.fileno(), end)
            if number * moments // len(pieces) > (number - 1) * moments // len(pieces):
                stopped = time.monotonic()
                watched.sample()
                late, said = _agreed(watched, grown)
                used = watched.cpu()
                yield Moment(stopped - begin, end, watched.peak, used - before, late, said)
                before, watched.peak = used, 0


def _agreed(watched: _Watched, log: Path) -> tuple[float | None, tuple[str, ...]]:
    stopped = time.monotonic()
    read = subprocess.run(
        [CA, "explain-recompiles", log],
        check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    expected = _figures(read.stdout)
    assert len(expected) == 2, read.stdout[:500]
    while (late := time.monotonic() - stopped) < MOST_LATE:
        if watched.figures() == expected:
            return late, expected
        watched.sample()
        time.sleep(0.2)
    return None, watched.figures()


def _figures(text: str) -> tuple[str, ...]:
    """Return what is lost to how many causes, and the counts: the last of each in ``text``."""
    found = (expression.findall(text) for expression in (_HEADLINE, _COUNTS))
    return tuple(each[-1] for each in found if each)


class _Watched:
    """``ca watch`` in a terminal of its own."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self._text = ""
        self.peak = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._terminal, 1 << 16)
            except OSError:
                return
            # Several screens.
            self._text = (self._text + data.decode("utf-8", "replace"))[-100_000:]

    def figures(self) -> tuple[str, ...]:
        return _figures(_ESCAPES.sub("", self._text).replace("\r", ""))

    def sample(self) -> None:
        assert self._process.poll() is None, self._text[-2_000:]
        self.peak = max(self.peak, memory(self._process.pid))

    def cpu(self) -> float:
        return cpu(self._process.pid)


@contextmanager
def _watched(log: Path) -> Iterator[_Watched]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 200, 0, 0))
    process = subprocess.Popen(
        [CA, "watch", log], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm"}, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield _Watched(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
