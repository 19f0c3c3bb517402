"""The summary of a job in GitHub Actions: a file that the runner shows as Markdown."""

from __future__ import annotations

import os
from pathlib import Path

from ca_cli.console import tell

# What the runner takes for one step; a larger file is refused as a whole.
LIMIT = 1 << 20


def wanted() -> Path | None:
    """Return the file to append to, if this runs in GitHub Actions."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(file) if file and os.environ.get("GITHUB_ACTIONS") == "true" else None


def append(text: str) -> None:
    """Append `text`, if there is such a file and room in it. A failure is a line on stderr."""
    file = wanted()
    if file is None:
        return
    data = text.encode("utf-8", "replace")
    try:
        size = file.stat().st_size if file.exists() else 0
        if size + len(data) + 1 > LIMIT:
            tell("the job summary is full (1 MiB): nothing was added to it")
            return
        with file.open("ab") as summary:
            summary.write(b"\n" + data if size else data)
    except OSError as error:
        tell(f"no job summary: {file}: {error.strerror}")
