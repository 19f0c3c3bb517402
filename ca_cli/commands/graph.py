"""``ca graph``: a captured graph, or the difference of two, on the terminal or as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, inputs, options, writing
from ca_cli.console import say
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from ca_reports.run.model import Capture, Run

_PAGE = "graph.html"


@command(cls=formats.command_writing("graph"))
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
        typer.Option(metavar="A B", help="Compare two captures."),
    ] = None,
    format: formats.Chosen = "terminal",
    output: Annotated[
        Path | None,
        options.output_option(
            "FILE", "stdout; graph.html for html", "Write to a file; - is stdout."
        ),
    ] = None,
    force: options.Force = False,
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
    form = formats.find(format, "graph")
    page = (output or Path(_PAGE)) if form.name == "html" else None
    if (written := page or output) is not None:
        writing.refuse(written, force=force)
    run = inputs.load(paths)
    from ca_reports.facts.graphs.view import GraphView

    chosen = [find(run, id) for id in diff] if diff else [find(run, capture)]
    view = GraphView.of(run, chosen)
    if page is None:
        formats.emit(form, "graph", view, output, force=force)
        return
    writing.write(page, form.text("graph", view), force=force)
    if writing.is_stdout(page):
        return
    where = f"#view=graph&capture={chosen[-1].process}/{chosen[-1].id}"
    say(f"{page}{where}{'&difference=1' if diff else ''}", sys.stdout)


def find(run: Run, id: str | None) -> Capture:
    """Return the capture that `id` names (``3``, ``!3``, ``1/3``), or the first with a graph.

    Raises `UsageError` if there is none, if several processes have one of that id, or if
    its graph is not in the log.
    """
    captures = run.captures
    if id is None:
        found = [capture for capture in captures if capture.graph is not None][:1]
        if not found:
            raise UsageError("this log holds no captured graph")
    else:
        process, slash, number = id.rpartition("/")
        number = number.removeprefix("!")
        if not number.isdecimal() or (slash and not process.isdecimal()):
            raise UsageError(f"{id} does not name a capture: write 3, !3, or 1/3 (process 1)")
        found = [
            capture
            for capture in captures
            if capture.id == int(number) and (not slash or capture.process == int(process))
        ]
        if not found:
            known = ", ".join(_name(run, capture) for capture in captures[:8]) or "none"
            raise UsageError(f"this log has no capture {id}; it has {known}")
        if len(found) > 1:
            names = ", ".join(f"{capture.process}/{capture.id}" for capture in found[:4])
            raise UsageError(f"several processes have a capture {id}: say which ({names})")
    if found[0].graph is None:
        raise UsageError(f"the graph of capture {_name(run, found[0])} is not in this log")
    return found[0]


def _name(run: Run, capture: Capture) -> str:
    return f"{capture.process}/{capture.id}" if len(run.processes) > 1 else capture.label
