"""The frames in the text of a Python traceback, for the recorder and for the readers of logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# As `traceback` writes a frame: its place, then its line of source if that could be read.
_FRAME = re.compile(
    r'^ *File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in (?P<function>[^\n]*)'
    r"(?:\n(?! *File \")(?P<code> +[^\n]*))?",
    re.M,
)


class TextFrame(NamedTuple):
    """One frame; ``code`` is its line of source, stripped, or empty."""

    file: str
    line: int
    function: str
    code: str


def frames_in(text: str) -> Iterator[TextFrame]:
    """Yield the frames in ``text``, outermost first; any other line is skipped."""
    for found in _FRAME.finditer(text):
        yield TextFrame(
            found["file"],
            int(found["line"]),
            found["function"].strip(),
            (found["code"] or "").strip(),
        )
