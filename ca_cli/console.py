"""Consoles for a terminal, a pipe or a file."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console

# Of tables where there is no terminal: Rich takes 80, which breaks most source lines in two.
PIPE_WIDTH = 120
_NARROWEST = 20


def console_on(stream: IO[str]) -> Console:
    """Return a console that writes to `stream`, in colours only if that is a terminal.

    Without a terminal no line is one that a CI system would run, and sentences stay on one
    line, for grep, unless COLUMNS says how wide the reader's screen is; tables are laid out
    in COLUMNS or `PIPE_WIDTH`. Rich itself heeds NO_COLOR and FORCE_COLOR.
    """
    from rich.console import Console

    if stream.isatty():
        return Console(file=stream)
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) > 0 else None
    plain = cast("IO[str]", _PlainStream(stream))
    return Console(file=plain, width=width or PIPE_WIDTH, soft_wrap=width is None)


def tell(text: str) -> None:
    """Write a line ``ca: text`` to stderr, if there is one; in a terminal as many as it takes."""
    if sys.stderr is None:
        return
    if not sys.stderr.isatty():
        say(f"ca: {text}", sys.stderr)
        return
    import shutil
    import textwrap

    from ca_reports.words.clean import clean

    told = textwrap.wrap(
        clean(f"ca: {text}".replace("\n", " ")),
        max(_NARROWEST, shutil.get_terminal_size().columns),
        subsequent_indent=" " * len("ca: "),
        break_long_words=False,
        break_on_hyphens=False,
    )
    sys.stderr.write("\n".join(told) + "\n")


def say(text: str, stream: IO[str] | None) -> None:
    """Write `text` as one line; names of files in it may hold anything."""
    from ca_reports.words.clean import clean

    if stream is not None:
        stream.write(clean(text.replace("\n", " ")) + "\n")


class _PlainStream:
    """A stream in whose lines a CI system finds no command."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        from ca_reports.words.clean import no_commands

        return self._stream.write(no_commands(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


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
