"""``ca sizes``: which sizes to pad to, or to make dynamic."""

from __future__ import annotations

from typing import Annotated

import typer

from ca_cli import formats, inputs, options, writing
from ca_cli.options import command


@command(cls=formats.command_writing("sizes"))
def sizes(
    run: Annotated[str | None, inputs.run_argument("A run of `ca run`.")] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            min=1,
            metavar="N",
            show_default="as many as were recorded",
            help="Reckon the plans for N steps.",
        ),
    ] = None,
    batch_sizes: Annotated[
        bool,
        typer.Option(
            "--batch-sizes",
            help="Only the first dimension of inputs: batch sizes of a server, for its buckets or "
            "CUDA graphs.",
        ),
    ] = False,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Run the command of RUN again, briefly, with each of the best three plans. Inputs "
            "are padded with zeros there, for the time only.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --measure: do not ask.")] = False,
    format: formats.Chosen = "terminal",
    output: options.Output = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Show the sizes of a run's inputs, and compare ways to treat them.

    One size for all, a few buckets, multiples, dynamic shapes, or as it is: the compiles of each,
    its padding, and what it takes in all, best first, by the times of the run.

    \b
    ca sizes
    ca sizes ca-runs/monday --steps 10000
    ca sizes --batch-sizes --format json
    ca sizes --measure --yes
    ca sizes --format svg -o sizes.svg
    """  # noqa: D301 -- the character, which keeps these lines apart
    chosen = formats.find(format, "sizes")
    if output is not None:
        writing.refuse(output, force=force)
    from ca_reports.facts.sizes.examined import examine

    (name,) = inputs.resolve(None if run is None else [run])
    found = inputs.load([name], jobs, scheduler, all_guards=False)
    examined = examine(found, steps, batch_sizes=batch_sizes)
    if measure:
        from ca_cli.measuring import measured

        examined = measured(examined, steps=steps, yes=yes)
    formats.emit(chosen, "sizes", examined, output, force=force)
    formats.summarize("sizes", examined)
