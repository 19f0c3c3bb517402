"""``ca explain-recompiles``: why the backwards of a run were compiled again."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import inputs, run_folder
from ca_cli.console import console_on
from ca_cli.errors import UsageError

if TYPE_CHECKING:
    from ca_reports.model import Run

Format = Literal["terminal", "json"]


def explain_recompiles(
    paths: inputs.Paths = None,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = "terminal",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default="stdout", help="Write to a file."
        ),
    ] = None,
) -> None:
    """Explain each recompilation and what to change.

    Reads a run of `ca run`, or any log that TORCH_TRACE wrote.

    \b
    ca explain-recompiles
    ca explain-recompiles /tmp/trace/*.log --format json
    """  # noqa: D301 -- the character, which keeps these lines apart
    import ca_reports

    if output is not None and output.is_dir():
        raise UsageError(f"{output} is a folder: -o names a file")
    run = ca_reports.load(inputs.resolve(paths))
    if output is None and format == "terminal":
        # Straight to the console: it knows the terminal's width and colours.
        from ca_reports.render import terminal

        terminal.render(run, console_on(sys.stdout))
        return
    text = _as_text(run, format)
    if output is None:
        sys.stdout.write(text)
        return
    run_folder.write_atomically(output, text)
    sys.stderr.write(f"wrote {output}\n")


def _as_text(run: Run, format: Format) -> str:
    if format == "json":
        from ca_reports.render import json

        return json.render(run).rstrip("\n") + "\n"
    from ca_reports.render import terminal

    buffer = io.StringIO()
    terminal.render(run, console_on(buffer))
    return buffer.getvalue()
