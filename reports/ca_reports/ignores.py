"""``# ca: ignore[CA201]`` on a line of the user's: a finding that is to be kept quiet.

The line is taken from the log, where it was recorded; else from the file, if it is still
there. A file that cannot be read silences nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.model import Frame

_COMMENT = re.compile(r"#.*?\bca:\s*ignore(?:\[(?P<codes>[^\]]*)\])?", re.IGNORECASE)
# Logs name files of other machines too; what is read here is bounded.
_MAX_FILE = 4 << 20


def is_silenced(code: str, location: Frame | None) -> bool:
    """Whether the located line says that findings of ``code`` are to be kept quiet.

    ``# ca: ignore`` without codes silences all of them.
    """
    if location is None:
        return False
    line = location.code if "#" in location.code else _source_line(location)
    found = _COMMENT.search(line)
    if found is None:
        return False
    if found["codes"] is None:
        return True
    return code.upper() in {part.strip().upper() for part in found["codes"].split(",")}


def _source_line(location: Frame) -> str:
    lines = _lines(location.file)
    line = lines[location.line - 1] if 0 < location.line <= len(lines) else ""
    # Another version of the file says nothing about the run that was recorded.
    return line if not location.code or location.code in line else ""


@lru_cache(maxsize=64)
def _lines(file: str) -> tuple[str, ...]:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_FILE:
            return ()
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return ()
