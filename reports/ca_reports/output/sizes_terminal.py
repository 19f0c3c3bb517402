"""``ca sizes`` on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ca_reports.output.lines import Lines
from ca_reports.sentences import sizes as words
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from rich.console import Console

    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans

_FUNCTIONS = 5
_PLANS = 12
_BARS = 12
_BAR_WIDTH = 30


def render(found: RunSizes, console: Console) -> None:
    """Print the headline, and for each function its sizes and plans."""
    writer = Lines(console)
    writer.line(words.headline(found), "bold")
    for one in found.functions[:_FUNCTIONS]:
        writer.line("")
        _function(writer, found, one, console.width)
    left = len(found.functions) - _FUNCTIONS
    if left > 0:
        writer.line(f"{and_more(left, 'function')}: see --format json", "dim")


def _function(writer: Lines, found: RunSizes, one: FunctionPlans, width: int) -> None:
    function = one.function
    writer.line(words.title(found, one, width // 2), "bold")
    for at in range(len(function.arguments)):
        writer.line(words.histogram_line(function, at), indent=2)
    if one.best is not None:
        writer.line("")
        writer.table(_plans(writer, one))
        writer.line(f"Best: {words.how(one.best)}.", indent=2)
    for note in words.notes(one):
        writer.line(note, "dim", indent=2)


def _plans(writer: Lines, one: FunctionPlans) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    name, *others = words.headings(one)
    table.add_column(name, overflow="fold", ratio=1)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    for plan in words.shown(one, _PLANS):
        style = "dim" if plan is one.as_is else ""
        table.add_row(*(Text(writer.safe(cell), style) for cell in words.cells(plan)))
    return table
