"""``ca graph``: a captured graph, or the difference of two, on the terminal or as a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import inputs, writing
from ca_cli.console import console_on, say
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from ca_reports.graphs.document import Picture
    from ca_reports.model import Capture, Run

Format = Literal["terminal", "dot", "svg", "json", "html"]
_PAGE = "graph.html"


@command
def graph(
    paths: inputs.Paths = None,
    capture: Annotated[
        str | None,
        typer.Option(
            "--capture",
            "-c",
            metavar="ID",
            show_default="the first with a graph",
            help="Which capture: 3, !3, or 1/3 for process 1.",
        ),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two captures: what the second does otherwise."),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="What to write.")] = "terminal",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default="stdout; graph.html for html",
            help="Write to a file.",
        ),
    ] = None,
    force: writing.Force = False,
) -> None:
    """Show the graph of a capture, folded.

    Item access, sizes and validation are put into the nodes that they serve.

    \b
    ca graph --capture 1
    ca graph --diff 0 1
    ca graph --format svg -o graph.svg
    """  # noqa: D301 -- the character, which keeps these lines apart
    if capture is not None and diff is not None:
        raise UsageError("--capture shows one graph, --diff two: give one of them")
    if output is not None or format == "html":
        writing.refuse(output or Path(_PAGE), force=force)
    run = inputs.load(paths)
    chosen = [find(run, id) for id in diff] if diff else [find(run, capture)]
    if format == "html":
        page = output or Path(_PAGE)
        _write_page(run, chosen[-1], page, difference=bool(diff), force=force)
        return
    picture, title = picture_of(chosen)
    if format == "terminal" and output is None:
        _print(run, picture, title, is_difference=bool(diff))
        return
    text = _as_text(run, picture, title, format, is_difference=bool(diff))
    if output is None:
        sys.stdout.write(text)
        return
    if format == "terminal":
        text = writing.signed(text)
    writing.write(output, text, force=force)
    writing.say_wrote(output)


def find(run: Run, id: str | None) -> Capture:
    """Return the capture that `id` names (``3``, ``!3``, ``1/3``), or the first with a graph.

    Raises `UsageError` if there is none, if several processes have one of that id, or if
    its graph is not in the log.
    """
    captures = run.captures
    if id is None:
        found = [capture for capture in captures if capture.graph is not None][:1]
        if not found:
            raise UsageError("no captured graph is in this log")
    else:
        process, slash, number = id.rpartition("/")
        number = number.removeprefix("!")
        if not number.isdecimal() or (slash and not process.isdecimal()):
            raise UsageError(f"{id} is no capture: 3, !3, or 1/3 for process 1")
        found = [
            capture
            for capture in captures
            if capture.id == int(number) and (not slash or capture.process == int(process))
        ]
        if not found:
            known = ", ".join(_name(run, capture) for capture in captures[:8]) or "none"
            raise UsageError(f"no capture {id} is in this log; captures: {known}")
        if len(found) > 1:
            names = ", ".join(f"{capture.process}/{capture.id}" for capture in found[:4])
            raise UsageError(f"several processes have a capture {id}: say which ({names})")
    if found[0].graph is None:
        raise UsageError(f"the graph of capture {_name(run, found[0])} is not in this log")
    return found[0]


def picture_of(captures: list[Capture]) -> tuple[Picture, str]:
    """Return the graph of one capture, or the difference of two, and what to call it."""
    from ca_reports.graphs.document import Read, difference, picture

    read = [
        Read.of(
            capture.graph.text if capture.graph is not None else "",
            capture.autograd_graph,
            capture.lines,
        )
        for capture in captures
    ]
    if len(read) == 1:
        return picture(read[0]), f"capture {captures[0].label}"
    return difference(*read), f"{captures[0].label} → {captures[1].label}"


def _name(run: Run, capture: Capture) -> str:
    return f"{capture.process}/{capture.id}" if len(run.processes) > 1 else capture.label


def _print(run: Run, picture: Picture, title: str, *, is_difference: bool) -> None:
    from ca_reports.render import graph_text
    from ca_reports.text.places import run_cwd

    console = console_on(sys.stdout)
    cwd = run_cwd(run)
    if console.is_terminal and len(picture.nodes) > console.height - 2:
        with console.pager(styles=True):
            graph_text.render(picture, console, title, cwd, is_difference=is_difference)
    else:
        graph_text.render(picture, console, title, cwd, is_difference=is_difference)


def _as_text(run: Run, picture: Picture, title: str, format: Format, *, is_difference: bool) -> str:
    from ca_reports.render import graph_files, graph_text
    from ca_reports.text.places import run_cwd

    if format == "dot":
        return graph_files.dot(picture, title)
    if format == "svg":
        return graph_files.svg(picture, title)
    if format == "json":
        return graph_files.json(picture, title)
    buffer = io.StringIO()
    cwd = run_cwd(run)
    graph_text.render(picture, console_on(buffer), title, cwd, is_difference=is_difference)
    return buffer.getvalue()


def _write_page(run: Run, capture: Capture, path: Path, *, difference: bool, force: bool) -> None:
    from ca_reports.analysis import analyze
    from ca_reports.render import html

    writing.write(path, html.render(analyze(run)), force=force)
    where = f"#view=graph&capture={capture.process}/{capture.id}"
    say(f"{path}{where}{'&difference=1' if difference else ''}", sys.stdout)
