"""The formats that pipelines read, and where their text goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import writing

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.gates.reported import Report

# What `reported.Report` can be written as.
Format = Literal["terminal", "json", "markdown", "sarif", "junit", "github"]
Chosen = Annotated[Format, typer.Option("--format", help="What to print.")]


def as_text(report: Report, format: str) -> str:
    """Return `report` as Markdown, SARIF, JUnit or annotations."""
    if format == "markdown":
        from ca_reports.render import markdown

        return markdown.render(report)
    if format == "sarif":
        from ca_reports.render import sarif

        return sarif.render(report)
    if format == "junit":
        from ca_reports.render import junit

        return junit.render(report)
    if format == "github":
        from ca_reports.render import github

        return github.render(report)
    raise ValueError(format)


def write(text: str, format: str, output: Path | None, *, force: bool) -> None:
    """Write `text`, which is in `format`, to `output`, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    if format == "markdown":
        text = writing.signed(text, "<!-- ", " -->")
    elif format in ("terminal", "github"):
        text = writing.signed(text)
    writing.write(output, text, force=force)
    writing.say_wrote(output)
