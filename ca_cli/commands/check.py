"""``ca check``: a gate for pipelines."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import typer

from ca_cli import formats, gating, inputs, step_summary, writing
from ca_cli.console import console_on
from ca_cli.options import expanded

if TYPE_CHECKING:
    from typing import IO

    from ca_reports.gates.gate import Verdict


@expanded
def check(
    flags: gating.Flags,
    paths: inputs.Paths = None,
    format: formats.Chosen = "terminal",
    output: writing.Output = None,
    force: writing.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Hold a run against budgets; exit code 1 if it fails.

    Budgets are the --max options, or keys of the same names in [tool.ca] of pyproject.toml
    or in ca.toml. They hold for each process. Without any budget, each finding of severity
    warning or error fails; so it does with --select, and with --baseline if it is new.

    \b
    ca check --max-recaptures 0 --warmup-steps 2
    ca check run --baseline ca-baseline.json --format github
    """  # noqa: D301 -- the character, which keeps these lines apart
    if output is not None:
        writing.refuse(output, force=force)
    settings = flags.settings()
    verdict = gating.judge(inputs.load_analysis(paths, jobs, scheduler), settings)
    gating.say_settings(settings)
    if format == "terminal" and output is None:
        show(verdict, sys.stdout)
    else:
        formats.write(_as_text(verdict, format), format, output, force=force)
    summarize(verdict)
    code = gating.exit_code(verdict)
    if code:
        raise typer.Exit(code)


def show(verdict: Verdict, stream: IO[str]) -> None:
    """Print the outcome for a reader."""
    from ca_reports.render import check as rendered

    rendered.render(verdict, console_on(stream))


def summarize(verdict: Verdict) -> None:
    """Add the outcome to the job's summary, where there is one."""
    if step_summary.wanted() is not None:
        step_summary.append(_as_text(verdict, "markdown"))


def _as_text(verdict: Verdict, format: formats.Format) -> str:
    from ca_reports.gates import reported
    from ca_reports.render import check as rendered

    if format == "terminal":
        buffer = io.StringIO()
        show(verdict, buffer)
        return buffer.getvalue()
    if format == "json":
        return rendered.render_json(verdict)
    return formats.as_text(reported.of_verdict(verdict), format)
