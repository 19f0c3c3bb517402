"""``ca explain-recompiles``: why the backwards of a run were compiled again."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, inputs, step_summary, writing
from ca_cli.console import console_on

if TYPE_CHECKING:
    from ca_reports.analysis import Analysis


def explain_recompiles(
    paths: inputs.Paths = None,
    format: formats.Chosen = "terminal",
    output: writing.Output = None,
    force: writing.Force = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Leave out findings of this code (CA101, CA1, last-batch); repeat for more.",
        ),
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
    if output is not None:
        writing.refuse(output, force=force)
    from ca_reports.gates.config import rule_codes

    codes = rule_codes(ignore or [], "--ignore")
    analysis = inputs.load_analysis(paths, jobs, scheduler, ignore=codes)
    if output is None and format == "terminal":
        # Straight to the console: it knows the terminal's width and colours.
        from ca_reports.render import terminal

        terminal.render(analysis, console_on(sys.stdout))
    else:
        formats.write(_as_text(analysis, format), format, output, force=force)
    if step_summary.wanted() is not None:
        step_summary.append(_as_text(analysis, "markdown"))


def _as_text(analysis: Analysis, format: formats.Format) -> str:
    if format == "terminal":
        from ca_reports.render import terminal

        buffer = io.StringIO()
        terminal.render(analysis, console_on(buffer))
        return buffer.getvalue()
    if format == "json":
        from ca_reports.render import json

        return json.render(analysis)
    from ca_reports.gates import reported

    return formats.as_text(reported.of_analysis(analysis), format)
