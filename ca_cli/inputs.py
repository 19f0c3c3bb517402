"""Inputs of the commands that read: paths, or nothing for the newest run."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ca_cli.editor import choose_editor

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Run

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS",
        show_default="the newest run in ca-runs",
        help="Runs, folders, trace files, globs or URLs; - is stdin.",
    ),
]


def run_argument(help: str, metavar: str = "RUN") -> Any:
    """Return the argument of a command that reads one run; without it, the newest."""
    return typer.Argument(metavar=metavar, show_default="the newest run in ca-runs", help=help)


Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        metavar="N",
        show_default="one per core",
        help="Processes that read several files, or a large one.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Read on a Dask cluster whose workers see the files: tcp://host:8786.",
    ),
]

WantedEditor = Annotated[
    str | None,
    typer.Option(
        "--editor",
        metavar="NAME",
        show_default="`editor` in [tool.ca]",
        help="Link source lines to vscode, vscodium, cursor, pycharm, idea, or to a template: "
        "vscode://file{file}:{line}.",
    ),
]


def load(
    paths: Sequence[str] | None,
    jobs: int | None = None,
    scheduler: str | None = None,
    source_roots: Sequence[Path] = (),
    all_guards: bool = True,
    cache_keys: bool = False,
) -> Run:
    """Read `paths`, or the newest run; with a progress bar on stderr if that takes a while.

    Raises `ca_reports.errors.CaError` if nothing is readable.
    """
    import ca_reports
    from ca_cli.progress import ReadingProgress

    with ReadingProgress() as progress:
        run = ca_reports.load(
            resolve(paths),
            jobs=jobs,
            scheduler=scheduler,
            progress=progress,
            source_roots=source_roots,
            all_guards=all_guards,
            cache_keys=cache_keys,
        )
    _keep_until_the_end()
    return run


def load_analysis(
    paths: Sequence[str] | None,
    jobs: int | None = None,
    scheduler: str | None = None,
    *,
    ignore: Collection[str] = (),
    editor: str | None = None,
    cache_keys: bool = False,
) -> Analysis:
    """Read `paths` as `load` does, and work out, once for the command, all that is no page's."""
    chosen = choose_editor(editor, Path.cwd())  # an error before minutes of reading
    run = load(paths, jobs, scheduler, all_guards=False, cache_keys=cache_keys)
    from ca_reports.diagnosis.analysis import analyze

    analysis = analyze(run, ignore, editor=chosen)
    _keep_until_the_end()
    return analysis


def _keep_until_the_end() -> None:
    """Leave what was read alone: it stays until the command ends.

    Looking through it for cycles takes a twentieth of the time of reading it.
    """
    gc.freeze()


def resolve(paths: Sequence[str] | None) -> list[str]:
    """Return `paths`, or the newest run of the current folder if none were given.

    Raises `ca_reports.errors.NothingReadable` if there is no run.
    """
    if paths:
        return list(paths)
    import ca_reports

    newest = Path(ca_reports.newest_run(Path.cwd()))
    try:
        return [str(newest.relative_to(Path.cwd()))]
    except ValueError:
        return [str(newest)]
