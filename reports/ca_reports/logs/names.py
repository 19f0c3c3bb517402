"""Reads, shortens and counts the names of files."""

from __future__ import annotations

import os

from ca_engine.lazy_expressions import expression
from ca_engine.redaction import redact_text
from ca_reports.logs.opening import STDIN, is_url

# A folder named by mistake (a home, a file system's root) must not be walked for hours.
MAX_FILES = 10_000
MAX_ENTRIES = 200_000

_LOG_NAME = expression(r"dedicated_log_torch_trace_|\.log(\.\d+)?(\.(gz|zst|bz2|xz))?$")
_RANK = expression(r"(?:^|[_\-.])rank_?(\d{1,6})(?=[_\-.]|$)")


def shown(path: str | os.PathLike[str]) -> str:
    """Return ``path`` as text that any output can encode: a name that is not UTF-8 is replaced."""
    if path == STDIN:
        return "<stdin>"
    name = os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return redact_text(name) if is_url(name) else name


def is_log_name(name: str) -> bool:
    """Return whether a file of this name in a folder is taken for a log."""
    return _LOG_NAME.search(name) is not None


def rank_in_name(name: str) -> int | None:
    """Return the rank that torch puts into the name of a trace file, or None."""
    found = _RANK.search(name.replace("\\", "/").rpartition("/")[2])
    return int(found.group(1)) if found else None
