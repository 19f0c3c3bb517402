"""``ca report``: one HTML page about a run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from ca_cli import formats, inputs, options, run_folder, writing
from ca_cli.console import say, tell
from ca_cli.editor import choose_editor
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.output.format import Format
    from ca_reports.output.html import Tlparse


@command(cls=formats.command_writing("page"))
def report(
    paths: inputs.Paths = None,
    output: Annotated[
        Path | None,
        options.output_option(
            "FILE",
            "report.html or perfetto.json in the run folder, else here",
            "Where to write the page; - is stdout.",
        ),
    ] = None,
    format: formats.Chosen = "html",
    tlparse: Annotated[
        bool,
        typer.Option("--tlparse", help="Run tlparse, too, and link its pages and ours."),
    ] = False,
    source_root: Annotated[
        list[Path] | None,
        typer.Option(
            "--source-root",
            metavar="DIR",
            show_default="where a run of this machine was started; nothing for other logs",
            help="Show source from below this folder.",
        ),
    ] = None,
    share: Annotated[
        bool,
        typer.Option(
            "--share",
            help="Leave out source, arguments, host and user names; write report-shared.html.",
        ),
    ] = False,
    to: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--to",
            metavar="SERVICE TARGET",
            show_default=False,
            help="Send findings, totals and page to tensorboard (a log folder), wandb (a project) "
            "or mlflow (an experiment), instead of writing the page.",
        ),
    ] = None,
    editor: inputs.WantedEditor = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Write one HTML page about a run; it needs no server.

    A page that this command wrote earlier is overwritten, any other file is not.

    \b
    ca report
    ca report /tmp/trace -o report.html
    """  # noqa: D301 -- the character, which keeps these lines apart
    sources = inputs.resolve(paths)
    if tlparse and format != "html":
        raise UsageError("--tlparse links its pages from the HTML page: leave --format out")
    if share and (tlparse or source_root):
        other = "tlparse's pages" if tlparse else "source"
        raise UsageError(f"--share leaves {other} out: give one of the options")
    if to is not None and (tlparse or output is not None or format != "html"):
        raise UsageError("--to sends the page: leave --output, --format and --tlparse out")
    if to is not None:
        from ca_cli.sending import send

        analysis = _analysis(sources, jobs, scheduler, source_root, editor, share=share)
        say(f"sent to {to[0]}: {send(*to, analysis)}", sys.stdout)
        return
    chosen = formats.find(format, "page")
    path = default_output(sources, chosen, share=share) if output is None else output
    writing.refuse(path, force=force)
    analysis = _analysis(sources, jobs, scheduler, source_root, editor, share=share)
    if tlparse:
        from ca_reports.output import html

        text = html.render(analysis, _run_tlparse(analysis, path, force=force))
    else:
        text = chosen.text("page", analysis)
    writing.write(path, text, force=force)
    if not writing.is_stdout(path):
        say(f"{path}", sys.stdout)


def _analysis(
    sources: list[str],
    jobs: int | None,
    scheduler: str | None,
    source_root: list[Path] | None,
    editor: str | None,
    *,
    share: bool,
) -> Analysis:
    chosen = choose_editor(editor, Path.cwd())
    run = inputs.load(sources, jobs, scheduler, source_root or (), cache_keys=not share)
    from ca_reports.costs.earlier import start_of
    from ca_reports.diagnosis.analysis import analyze
    from ca_reports.run.sharing import shared

    if share:
        return analyze(shared(run), editor=chosen)
    analysis = analyze(run, editor=chosen)
    return replace(analysis, start=start_of(run, analysis.files))


def default_output(sources: list[str], format: Format, *, share: bool = False) -> Path:
    """Return where the page goes: into the run's folder if one run was named, else here."""
    name = run_folder.REPORT if format.name == "html" else f"{format.name}{format.suffix}"
    if share:
        name = name.replace(".", "-shared.")
    if len(sources) == 1 and Path(sources[0], run_folder.RUN_FILE).is_file():
        return Path(sources[0], name)
    return Path(name)


def _run_tlparse(analysis: Analysis, page: Path, *, force: bool) -> Tlparse:
    """Run tlparse beside `page`; what it cannot read is said, and has no link."""
    from ca_reports.output import tlparse, tlparse_index
    from ca_reports.output.html import Tlparse

    folder = page.with_name(f"{page.stem}-tlparse")
    found = tlparse.run_on(analysis.run, folder, page.name, force=force)
    index = tlparse_index.render(analysis, found, f"../{quote(page.name)}")
    writing.write(folder / "index.html", index)
    for problem in found.failed:
        tell(problem)
    return Tlparse(found.processes, found.compiles)
