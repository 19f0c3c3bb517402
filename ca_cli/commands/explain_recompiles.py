"""``ca explain-recompiles``: why the backwards of a run were recompiled."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from ca_cli import formats, inputs, options, writing
from ca_cli.errors import UsageError
from ca_cli.options import command


@command(cls=formats.command_writing("analysis"))
def explain_recompiles(
    paths: inputs.Paths = None,
    format: formats.Chosen = "terminal",
    output: options.Output = None,
    force: options.Force = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Leave out findings of this code (CA101, CA1, last-batch); repeat for more.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All rows of each table, not only the first ten.")
    ] = False,
    tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="4000",
            help="The budget of --format prompt, which says what it leaves out.",
        ),
    ] = None,
    editor: inputs.WantedEditor = None,
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
    chosen = formats.find(format, "analysis")
    if every:
        if format != "terminal":
            raise UsageError(f"--all is for --format terminal, not {format}")
        from ca_reports.output import terminal

        chosen = replace(chosen, analysis=partial(terminal.render, in_full=True))
    if tokens is not None:
        if format != "prompt":
            raise UsageError(f"--tokens is for --format prompt, not {format}")
        from ca_reports.output import prompt

        if tokens < prompt.FEWEST_TOKENS:
            raise UsageError(f"--tokens: {tokens} is less than {prompt.FEWEST_TOKENS}")
        chosen = replace(chosen, analysis=partial(prompt.render, tokens=tokens))
    if output is not None:
        writing.refuse(output, force=force)
    from ca_reports.gates.config import rule_codes

    codes = rule_codes(ignore or [], "--ignore")
    analysis = inputs.load_analysis(paths, jobs, scheduler, ignore=codes, editor=editor)
    formats.emit(chosen, "analysis", analysis, output, force=force)
    formats.summarize("analysis", analysis)
