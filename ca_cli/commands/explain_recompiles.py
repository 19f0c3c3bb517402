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
    from collections.abc import Iterable

    from ca_reports.findings import Diagnosis
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
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Leave out findings of this code; repeat for more."),
    ] = None,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Explain each recompilation and what to change.

    Reads a run of `ca run`, any log that TORCH_TRACE wrote, and the text of
    TORCH_LOGS=compiled_autograd_verbose,recompiles,graph_breaks.

    \b
    ca explain-recompiles
    ca explain-recompiles /tmp/trace/*.log --format json
    """  # noqa: D301 -- the character, which keeps these lines apart
    if output is not None and output.is_dir():
        raise UsageError(f"{output} is a folder: -o names a file")
    codes = rule_codes(ignore or [])
    run = inputs.load(paths, jobs, scheduler)
    from ca_reports.diagnose import diagnose

    diagnosis = diagnose(run, ignore=codes)
    if output is None and format == "terminal":
        # Straight to the console: it knows the terminal's width and colours.
        from ca_reports.render import terminal

        terminal.render(run, console_on(sys.stdout), diagnosis)
        return
    text = _as_text(run, diagnosis, format)
    if output is None:
        sys.stdout.write(text)
        return
    run_folder.write_atomically(output, text)
    sys.stderr.write(f"wrote {output}\n")


def rule_codes(wanted: Iterable[str]) -> list[str]:
    """Return the codes of rules, given as codes or names, also several with commas between.

    Raises `UsageError` for one that is no rule: a typing error would silence nothing.
    """
    from ca_reports.rules import find_rule

    codes = []
    for part in ",".join(wanted).split(","):
        if not part.strip():
            continue
        rule = find_rule(part)
        if rule is None:
            raise UsageError(f"{part.strip()} is no rule: `ca rule --all` lists them")
        codes.append(rule.code)
    return codes


def _as_text(run: Run, diagnosis: Diagnosis, format: Format) -> str:
    if format == "json":
        from ca_reports.render import json

        return json.render(run, diagnosis).rstrip("\n") + "\n"
    from ca_reports.render import terminal

    buffer = io.StringIO()
    terminal.render(run, console_on(buffer), diagnosis)
    return buffer.getvalue()
