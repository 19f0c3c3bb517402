"""A trace that cannot be written: one line for the user, and the program goes on.

`logging` prints a traceback for each record that a handler fails to write. A disk that runs
full in the middle of a job would fill its stderr with thousands of them.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import partial

from ca_engine.compat import structured_trace, versions


def keep_quiet(folder: str) -> None:
    """Have the handlers that write a trace below ``folder`` fail with one line."""
    for handler in structured_trace.file_handlers(below=folder):
        handler.handleError = partial(_failed, handler)  # type: ignore[method-assign]
        handler.emit = partial(_emit, handler, handler.emit)  # type: ignore[method-assign]


def _emit(
    handler: structured_trace.TraceHandler,
    emit: Callable[[logging.LogRecord], None],
    record: logging.LogRecord,
) -> None:
    """Let the first record open the file: torch's handler lets that error out."""
    try:
        emit(record)
    except OSError:
        handler.handleError(record)


def _failed(handler: structured_trace.TraceHandler, record: logging.LogRecord) -> None:
    """Handle what writing raised, for `logging`, which calls it."""
    error = sys.exc_info()[1]
    if isinstance(error, OSError):
        what, why = "the recording ends here", error.strerror or str(error)
        structured_trace.let_go(handler)
        structured_trace.LOGGER.removeHandler(handler)
        _discard_rest(handler)
    else:  # a text that no encoding has, say: this record is lost, others are not
        what, why = "a record is lost", f"{type(error).__name__}: {error}"
        handler.handleError = lambda record: None  # type: ignore[method-assign]
    if sys.stderr is not None:
        place = versions.trace_file(handler) or handler.root_dir
        sys.stderr.write(f"ca: {what}: {' '.join(why.split())} ({place})\n")


_said: set[str] = set()


def say_lost(record: str, error: Exception) -> None:
    """Says once for each kind of record that one could not be made."""
    if record in _said or sys.stderr is None:
        return
    _said.add(record)
    why = " ".join(f"{type(error).__name__} {error}".split())
    sys.stderr.write(f"ca: a {record} record is lost: {why}\n")


def _discard_rest(handler: structured_trace.TraceHandler) -> None:
    """Drop what is still in the stream's buffer: it would fail again when the interpreter ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, handler.stream.fileno(), inheritable=False)
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass  # it was never opened, or is closed
