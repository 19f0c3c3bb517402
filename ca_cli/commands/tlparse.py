"""``ca tlparse``: tlparse on every trace of a run, where ``tlparse DIR`` gives up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ca_cli import inputs, options, run_folder, writing
from ca_cli.console import say, tell
from ca_cli.errors import UsageError
from ca_cli.options import command


@command
def tlparse(
    paths: inputs.Paths = None,
    output: Annotated[
        Path | None,
        options.output_option(
            "DIR", "tlparse in the run folder, else here", "Where to write its pages."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a folder that ca did not write.")
    ] = False,
) -> None:
    """Run tlparse on a whole run.

    One folder a trace, and a page that leads from each finding and capture to its files.

    \b
    ca tlparse
    ca tlparse /tmp/trace -o pages
    """  # noqa: D301 -- the character, which keeps these lines apart
    from ca_reports.output import tlparse as pages
    from ca_reports.output import tlparse_index

    sources = inputs.resolve(paths)
    folder = default_folder(sources) if output is None else output
    pages.find_program()  # before minutes of reading
    analysis = inputs.load_analysis(sources)
    found = pages.run_on(analysis.run, folder, force=force)
    for problem in found.failed:
        tell(problem)
    if not found.processes:
        raise UsageError("tlparse wrote no page")
    index = folder / "index.html"
    writing.write(index, tlparse_index.render(analysis, found))
    say(f"{index}", sys.stdout)


def default_folder(sources: list[str]) -> Path:
    """Return where the pages go: into the run's folder if one run was named, else here."""
    if len(sources) == 1 and Path(sources[0], run_folder.RUN_FILE).is_file():
        return Path(sources[0], "tlparse")
    return Path("tlparse")
