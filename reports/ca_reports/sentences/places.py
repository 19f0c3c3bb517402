"""Lines of source in words."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from ca_reports.words.clean import one_line

if TYPE_CHECKING:
    from ca_reports.run.model import Frame, Run

PATH_WIDTH = 60
THREAD_WIDTH = 40


def thread_named(name: str | None) -> str:
    """Return ``the thread `worker_1```; None is the main one."""
    return f"the thread `{one_line(name, THREAD_WIDTH)}`" if name else "the main thread"


def shown_place(frame: Frame, cwd: str | None = None, width: int = PATH_WIDTH) -> str:
    """Return ``train.py:12``, relative to ``cwd`` where it lies below it.

    A path longer than ``width`` loses its front, as much as needed but not the file's name.
    """
    file = frame.file
    base = cwd.rstrip("/\\") if cwd else ""
    if base and file.startswith(base) and file[len(base) : len(base) + 1] in ("/", "\\"):
        file = file[len(base) + 1 :]
    if len(file) > width:
        parts = PurePath(file.replace("\\", "/")).parts
        for start in range(1, len(parts)):
            shorter = "/".join(("…", *parts[start:]))
            if len(shorter) <= width or start == len(parts) - 1:
                file = shorter
                break
    return f"{file}:{frame.line}"


def at_line(file: str | None, line: int) -> str:
    """Return ``train.py:12``; the file alone without a line, nothing without a file."""
    if not file:
        return ""
    return f"{file}:{line}" if line else file


def in_brief(frame: Frame) -> str:
    """Return ``train.py:12`` for a file anywhere: in a sentence that has no room for its folder."""
    return at_line(PurePath(frame.file).name, frame.line)


def run_cwd(run: Run) -> str | None:
    """Return where the script was started, to shorten paths by."""
    for recorded in run.recorded:
        if recorded.cwd:
            return recorded.cwd
    return next((process.cwd for process in run.processes if process.cwd), None)
