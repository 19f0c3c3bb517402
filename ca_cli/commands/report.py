"""``ca report``: one HTML page about a run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from ca_cli import inputs, run_folder
from ca_cli.errors import UsageError

# How a page of ours is told from a file of the user's; at its very beginning.
_GENERATOR = re.compile(rb"<meta\s+name=[\"']generator[\"']\s+content=[\"']ca\b")
_BEGINNING = 4096


def report(
    paths: inputs.Paths = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default="report.html in the run folder, else here",
            help="Where to write the page.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a file that ca did not write.")
    ] = False,
) -> None:
    """Write one HTML page about a run; it needs no server.

    A page that this command wrote earlier is overwritten, any other file is not.

    \b
    ca report
    ca report /tmp/trace -o report.html
    """  # noqa: D301 -- the character, which keeps these lines apart
    import ca_reports

    sources = inputs.resolve(paths)
    path = default_output(sources) if output is None else output
    refuse_to_overwrite(path, force=force)
    run = ca_reports.load(sources)
    from ca_reports.render import html

    run_folder.write_atomically(path, html.render(run))
    sys.stdout.write(f"{path}\n")


def default_output(sources: list[str]) -> Path:
    """Return where the page goes: into the run's folder if one run was named, else here."""
    if len(sources) == 1 and Path(sources[0], run_folder.RUN_FILE).is_file():
        return Path(sources[0], run_folder.REPORT)
    return Path(run_folder.REPORT)


def refuse_to_overwrite(path: Path, *, force: bool) -> None:
    """Raise `UsageError` if writing `path` could destroy something that is not ours."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder: -o names a file")
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent} is no folder")
    if force or not path.exists():
        return
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if not _GENERATOR.search(beginning):
        raise UsageError(f"{path} was not written by ca: --force overwrites it")
