"""A program that is in no file: its text is kept when the run begins, for it is nowhere later."""

from __future__ import annotations

import os
import stat
import sys
import textwrap
from typing import TYPE_CHECKING

from ca_cli import run_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_cli.python_command import PythonCommand

# In bytes: what a pipe of Linux holds at most, unless its administrator says otherwise.
_PIPE = 1 << 20


def keep(python: PythonCommand, folder: Path, secrets: Sequence[str]) -> None:
    """Write the text after ``-c``, or that stdin brings, into the run's folder."""
    text: str | None
    if python.kind == "code":
        # From Python 3.14 on the interpreter does so, too.
        name, text = "-c", textwrap.dedent(python.name)
    elif python.kind == "stdin":
        name, text = "<stdin>", _read_ahead()
    else:
        return
    if text is not None:
        from ca_reports.program.files import RecordedSource, digest_of

        source = RecordedSource(digest_of(text), text)
        run_folder.write_source(folder, {name: source}, secrets, keep=True)


def _read_ahead() -> str | None:
    """Return what stdin brings, and leave it there for the interpreter; None where that can't be.

    Python reads a program from a pipe to its end before it runs it, so nothing is waited for that
    would not be. From a terminal it reads line by line.
    """
    status = os.fstat(0)
    if stat.S_ISREG(status.st_mode):
        return os.pread(0, _PIPE, os.lseek(0, 0, os.SEEK_CUR)).decode("utf-8", "replace")
    if not stat.S_ISFIFO(status.st_mode) or sys.platform != "linux":
        return None
    return _through_a_pipe()


def _through_a_pipe() -> str | None:
    """Read a pipe to its end, and put another in its place that holds the same and ends."""
    import fcntl

    reading, writing = os.pipe()
    try:
        try:
            room = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
        except OSError:
            room = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
        data = bytearray()
        while len(data) < room and (part := os.read(0, room - len(data))):
            data += part
        is_whole = len(data) < room
        if not is_whole:
            _feed(bytes(data), writing)
        else:
            os.write(writing, data)
        os.dup2(reading, 0)
    finally:
        os.close(reading)
        os.close(writing)
    return data.decode("utf-8", "replace") if is_whole else None


def _feed(data: bytes, writing: int) -> None:
    """Have a process write ``data`` and what stdin brings after it: more than a pipe holds.

    It is no child of the interpreter's, which the program might wait for.
    """
    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        if os.fork():
            return
        while data:
            data = data[os.write(writing, data) :] or os.read(0, 1 << 16)
    finally:
        os._exit(0)
