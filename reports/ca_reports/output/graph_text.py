"""A folded graph on a terminal: one line a node, under the module it belongs to."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rich.text import Text

from ca_engine.lazy_expressions import expression
from ca_reports.facts.graphs.parse import short_names
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.words.clean import clean
from ca_reports.words.numbers import counted
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from ca_reports.facts.graphs.document import DrawnNode, Picture
    from ca_reports.facts.graphs.view import GraphView

_STYLES = {"changed": "yellow", "added": "green", "removed": "red", "same": ""}
_SIGNS = {"changed": "~", "added": "+", "removed": "-", "same": " "}
# Characters of a path, behind a node's name and inputs.
PLACE_WIDTH = 24
# Unchanged nodes shown before and after one that differs.
_CONTEXT = 2
# A name that is neither called nor a part of what is: a variable, or a constant.
_VARIABLE = expression(r"\b[A-Za-z_]\w*(?![\w(.])", re.ASCII)


def render(view: GraphView, console: Console) -> None:
    """Print a graph; of a difference only what differs and what stands around it.

    On a terminal, what is longer than the screen goes through a pager.
    """
    with ExitStack() as stack:
        if console.is_terminal and len(view.picture.nodes) > console.height - 2:
            stack.enter_context(console.pager(styles=True))
        for line in lines(view):
            console.print(line, soft_wrap=False, overflow="ellipsis", no_wrap=True)


def lines(view: GraphView) -> Iterator[Text]:
    """Yield the same, line by line."""
    picture, is_difference = view.picture, view.is_difference
    cwd = None if view.run is None else run_cwd(view.run)
    counts = picture.counts()
    told = f"{counted(len(picture.nodes), 'node')}, folded from "
    told += counted(picture.fx_nodes, "FX node")
    if is_difference:
        words = [f"{counts.get(word, 0)} {word}" for word in ("changed", "added", "removed")]
        told = ", ".join(words) + f", {counts.get('same', 0)} the same"
    yield Text(_clean(f"{view.title}: {told}"), style="bold")
    if picture.unread:
        unread = counted(picture.unread, "line")
        yield Text(f"{unread} of its code could not be read", style="yellow")
    shown = _shown(picture) if is_difference else set(range(len(picture.nodes)))
    group: str | None = None
    before = -1
    for index, drawn in enumerate(picture.nodes):
        if index not in shown:
            continue
        if index > before + 1:
            yield Text(f"   … {counted(index - before - 1, 'node')} the same", style="dim")
        before = index
        if drawn.node.group != group:
            group = drawn.node.group
            yield Text(_clean(group or "(no module known)"), style="cyan")
        yield _line(picture, index, drawn, cwd)
        if drawn.status == "changed":
            yield from _changed(drawn)
    rest = len(picture.nodes) - 1 - before
    if rest:
        yield Text(f"   … {counted(rest, 'node')} the same", style="dim")


def _shown(picture: Picture) -> set[int]:
    return {
        near
        for index, drawn in enumerate(picture.nodes)
        if drawn.status != "same"
        for near in range(max(0, index - _CONTEXT), min(len(picture.nodes), index + _CONTEXT + 1))
    }


def _line(picture: Picture, index: int, drawn: DrawnNode, cwd: str | None) -> Text:
    node = drawn.node
    text = Text(f" {_SIGNS[drawn.status]} ", style=_STYLES[drawn.status])
    text.append(f"{index:>4} ", style="dim")
    text.append(_clean(node.label), style=_STYLES[drawn.status] or "bold")
    if node.origin is not None:
        name = node.origin.name.rsplit("::", 1)[-1]
        call = f"NodeCall {node.origin.index}"
        origin = call if name == node.label else f"{name}, {call}"
        text.append(_clean(f"  ({origin})"), style="dim")
    if node.shapes:
        text.append("  " + " ".join(node.shapes))
    if drawn.inputs:
        sources = [f"{source} {picture.nodes[source].node.label}" for source in drawn.inputs]
        text.append(_clean(f"  ← {first_few(sources)}"), style="dim")
    if node.place is not None:
        text.append(_clean(f"  {shown_place(node.place, cwd, PLACE_WIDTH)}"), style="blue")
        text.append(_clean(f"  {node.place.code}"), style="dim")
    return text


def _changed(drawn: DrawnNode) -> Iterator[Text]:
    """Describe what differs in a node: values where they are few, else its statements."""
    if drawn.values:
        text = Text("        ")
        for place, value in enumerate(drawn.values):
            text.append(", " if place else "")
            text.append(_clean(value.before), style="red")
            text.append(" → ")
            text.append(_clean(value.after), style="green")
        text.append("" if drawn.is_cause else "  (follows)", style="dim")
        yield text
        return
    statements = [
        _clean(short_names(next((line for line in code if "(" in line), "")))
        for code in (drawn.before, drawn.code)
    ]
    if _nameless(statements[0]) == _nameless(statements[1]):
        yield Text("        wired to other nodes", style="yellow")
        return
    for sign, style, statement in zip("-+", ("red", "green"), statements, strict=True):
        yield Text(f"        {sign} {statement}", style=style)


def _nameless(statement: str) -> str:
    """Return ``statement`` without the names of what goes in and what comes out."""
    return _VARIABLE.sub("·", statement)


def _clean(text: str) -> str:
    """Text of a log without what could steer the terminal."""
    return clean(text.replace("\n", " ").replace("\t", " "))
