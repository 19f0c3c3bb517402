"""What the commands that read are given: paths, or nothing for the newest run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS",
        show_default="the newest run in ca-runs",
        help="Runs, folders, trace files, globs or URLs; - is stdin.",
    ),
]


def resolve(paths: Sequence[str] | None) -> list[str]:
    """Return `paths`, or the newest run of the current folder if none were given.

    Raises `ca_reports.errors.NothingReadable` if there is no run.
    """
    if paths:
        return list(paths)
    import ca_reports

    newest = Path(ca_reports.newest_run(Path.cwd()))
    try:
        return [str(newest.relative_to(Path.cwd()))]
    except ValueError:
        return [str(newest)]
