"""The lines around one that a finding names, where the source may be read.

A log may name any file. What is shown stands in a file that may be read at all (`SourceFiles`),
and the line that the log recorded, or the beginning of its function, still stands where the log
says: that it is the code that ran is then sure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.words.magics import as_typed
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from ca_reports.program.files import SourceFiles
    from ca_reports.program.stack import Frame

# How many decorators a function may have, each of one line.
_DECORATORS = 4


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``lines`` of a file, the first of them line ``first``; ``marked`` is the one meant."""

    first: int
    lines: tuple[str, ...]
    marked: int


def excerpt(files: SourceFiles, frame: Frame) -> Excerpt | None:
    """Return the line of ``frame`` between its neighbours; None if it cannot be shown for sure."""
    lines = (files.text(frame.file) or "").splitlines()
    if not stands(frame, lines):
        return None
    first = max(1, frame.line - 1)
    shown = lines[first - 1 : frame.line + 1]
    if is_cell(frame.file):
        shown = list(map(as_typed, shown))
    return Excerpt(first, tuple(shown), frame.line)


def stands(frame: Frame, lines: list[str]) -> bool:
    """Return whether the recorded line is still there; an empty one proves nothing.

    Dynamo names a function by its name and first line, which may be a decorator's.
    """
    if not 1 <= frame.line <= len(lines):
        return False
    code = frame.code.strip()
    if code:
        return lines[frame.line - 1].strip() == code
    if not frame.function.isidentifier():
        return False
    begins = re.compile(rf"(?:async )?def {frame.function}\(")
    for line in map(str.strip, lines[frame.line - 1 : frame.line + _DECORATORS]):
        if not line.startswith("@"):
            return begins.match(line) is not None
    return False
