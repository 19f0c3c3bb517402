"""The formats that pipelines read, and where their text goes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import run_folder
from ca_cli.errors import UsageError

if TYPE_CHECKING:
    from ca_reports.gates.reported import Report
    from ca_reports.model import Run

# What `reported.Report` can be written as.
Format = Literal["terminal", "json", "markdown", "sarif", "junit", "github"]
Chosen = Annotated[Format, typer.Option("--format", help="What to print.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", show_default="stdout", help="Write to a file."),
]


def as_text(report: Report, run: Run, format: str) -> str:
    """Return `report` as Markdown, SARIF, JUnit or annotations."""
    if format == "markdown":
        from ca_reports.render import markdown

        return markdown.render(report, run)
    if format == "sarif":
        from ca_engine.version import __version__
        from ca_reports.render import sarif

        return sarif.render(report, __version__)
    if format == "junit":
        from ca_reports.render import junit

        return junit.render(report, run)
    if format == "github":
        from ca_reports.render import github

        return github.render(report, run)
    raise ValueError(format)


def write(text: str, output: Path | None) -> None:
    """Write `text` to `output`, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    run_folder.write_atomically(output, text)
    if sys.stderr is not None:
        sys.stderr.write(f"wrote {output}\n")


def refuse_no_file(output: Path | None) -> None:
    """Raise `UsageError` if ``-o`` names what cannot be a file."""
    if output is None:
        return
    if output.is_dir():
        raise UsageError(f"{output} is a folder: -o names a file")
    if not output.parent.is_dir():
        raise UsageError(f"{output.parent} is no folder: -o names a file in one")
