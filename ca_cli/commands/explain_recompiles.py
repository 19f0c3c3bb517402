"""``ca explain-recompiles``: why the backwards of a run were compiled again."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, gating, inputs, step_summary, writing
from ca_cli.console import console_on

if TYPE_CHECKING:
    from ca_reports.findings import Diagnosis
    from ca_reports.model import Run


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
    run = inputs.load(paths, jobs, scheduler)
    from ca_reports.diagnose import diagnose

    diagnosis = diagnose(run, ignore=codes)
    if output is None and format == "terminal":
        # Straight to the console: it knows the terminal's width and colours.
        from ca_reports.render import terminal

        terminal.render(run, console_on(sys.stdout), diagnosis)
    else:
        formats.write(_as_text(run, diagnosis, format), format, output, force=force)
    if step_summary.wanted() is not None:
        step_summary.append(_as_text(run, diagnosis, "markdown"))


def _as_text(run: Run, diagnosis: Diagnosis, format: formats.Format) -> str:
    if format == "terminal":
        from ca_reports.render import terminal

        buffer = io.StringIO()
        terminal.render(run, console_on(buffer), diagnosis)
        return buffer.getvalue()
    if format == "json":
        from ca_reports.render import json

        return json.render(run, diagnosis)
    from ca_reports.gates import reported

    report = reported.of_run(run, diagnosis, gating.places_of(run))
    return formats.as_text(report, run, format)
