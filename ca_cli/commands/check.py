"""``ca check``: a gate for pipelines."""

from __future__ import annotations

import typer

from ca_cli import formats, gating, inputs, options, writing
from ca_cli.options import command


@command(cls=formats.command_writing("verdict"))
def check(
    flags: gating.Flags,
    paths: inputs.Paths = None,
    format: formats.Chosen = "terminal",
    output: options.Output = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Check a run against limits; exit code 1 if it fails.

    Budgets are the --max options, or keys of the same names in [tool.ca] of pyproject.toml
    or in ca.toml. They hold for each process. Without any budget, each finding of severity
    warning or error fails; so it does with --select, and with --baseline if it is new.

    \b
    ca check --max-recaptures 0 --warmup-steps 2
    ca check run --baseline ca-baseline.json --format github
    """  # noqa: D301 -- the character, which keeps these lines apart
    chosen = formats.find(format, "verdict")
    if output is not None:
        writing.refuse(output, force=force)
    settings = flags.settings()
    verdict = gating.judge(inputs.load_analysis(paths, jobs, scheduler), settings)
    gating.say_settings(settings)
    formats.emit(chosen, "verdict", verdict, output, force=force)
    formats.summarize("verdict", verdict)
    code = gating.exit_code(verdict)
    if code:
        raise typer.Exit(code)
