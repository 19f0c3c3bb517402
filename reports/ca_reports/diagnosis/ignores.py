"""``# ca: ignore[CA201]`` on a line of the user's: a finding that is to be kept quiet.

The line is taken from the log, where it was recorded; else from the file as it is now, if it is
still there and may be read (``program.files``), for the comment may have come after the run; else
as the run kept it. A file that cannot be read silences nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from ca_reports.program.files import SourceFiles
    from ca_reports.run.model import Frame

_COMMENT = expression(r"\bca:\s*ignore(?:\[(?P<codes>[^\]]*)\])?", re.IGNORECASE)


def is_silenced(code: str, location: Frame | None, files: SourceFiles) -> bool:
    """Return whether the located line says that findings of ``code`` are to be kept quiet.

    ``# ca: ignore`` without codes silences all of them.
    """
    if location is None:
        return False
    if "#" in location.code:
        return _silences(location.code, code)
    now = files.line_now(location.file, location.line)
    kept = files.line(location.file, location.line)
    # Another version of the line says nothing about the run that was recorded.
    return any(_silences(line, code) for line in (now, kept) if location.code in line)


def _silences(line: str, code: str) -> bool:
    found = _COMMENT.search(line.partition("#")[2])
    if found is None:
        return False
    if found["codes"] is None:
        return True
    return code.upper() in {part.strip().upper() for part in found["codes"].split(",")}
