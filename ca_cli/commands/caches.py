"""``ca caches``: why a start was not warm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, inputs, options, writing
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from ca_reports.run.model import Run


@command(cls=formats.command_writing("start"))
def caches(
    run: Annotated[str | None, inputs.run_argument("A run or a log.")] = None,
    earlier: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EARLIER",
            show_default="the run before it of the same command",
            help="What to compare with: runs or logs, of this or another machine.",
        ),
    ] = None,
    pack: Annotated[
        bool,
        typer.Option(
            "--pack",
            help="Write what this machine's caches still hold of RUN to the file of -o, for "
            "`ca run --cache FILE`.",
        ),
    ] = False,
    format: formats.Chosen = "terminal",
    output: options.Output = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Explain which graphs came from torch's caches, and why the others did not.

    For each graph that was compiled although an earlier run had compiled it: the part of the
    cache's key that differs, where it was set, and the change that makes the next start hit.

    \b
    ca caches
    ca caches ca-runs/tuesday ca-runs/monday --format json
    ca caches --pack ca-runs/monday -o warm.cache
    """  # noqa: D301 -- the character, which keeps these lines apart
    chosen = formats.find(format, "start")
    if pack:
        _pack(run, output, jobs, scheduler, force=force)
        return
    if output is not None:
        writing.refuse(output, force=force)
    from ca_reports.costs.caches.starts import examine
    from ca_reports.program.files import SourceFiles
    from ca_reports.run.loading import earlier_run

    (name,) = inputs.resolve(None if run is None else [run])
    found = _load(name, jobs, scheduler)
    names = earlier or [str(one) for one in filter(None, [earlier_run(name)])]
    if Path(name).resolve() in [Path(one).resolve() for one in names]:
        raise UsageError(f"{name} can't be compared with itself: name an earlier run")
    start = examine(found, [_load(one, jobs, scheduler) for one in names], SourceFiles.of(found))
    formats.emit(chosen, "start", start, output, force=force)
    formats.summarize("start", start)


def _pack(
    run: str | None, output: Path | None, jobs: int | None, scheduler: str | None, *, force: bool
) -> None:
    from ca_cli import packing

    if output is None or writing.is_stdout(output):
        raise UsageError("--pack needs a file: -o FILE")
    (name,) = inputs.resolve(None if run is None else [run])
    packing.pack(_load(name, jobs, scheduler), output, force=force)


def _load(name: str, jobs: int | None, scheduler: str | None) -> Run:
    return inputs.load([name], jobs, scheduler, all_guards=False, cache_keys=True)
