"""Where text goes: terminal, pipe or file."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Rich takes 80 columns where there is no terminal, which breaks most source lines in two.
PIPE_WIDTH = 120


def console_on(stream: IO[str]) -> Console:
    """Return a console that writes to `stream`, in colours only if that is a terminal.

    Without a terminal the width is COLUMNS, or `PIPE_WIDTH`. Rich itself heeds NO_COLOR
    and FORCE_COLOR.
    """
    from rich.console import Console

    if stream.isatty():
        return Console(file=stream)
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) > 0 else PIPE_WIDTH
    return Console(file=stream, width=width)


def forgive_encoding() -> None:
    """Let a terminal that cannot show a character show ``?`` in its place."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def close_broken_pipe() -> None:
    """After a BrokenPipeError: let the interpreter's last flush go nowhere, quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
