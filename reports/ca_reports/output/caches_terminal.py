"""``ca caches`` on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ca_reports.output.lines import Lines
from ca_reports.sentences import caches as words
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.words.numbers import and_more, duration

if TYPE_CHECKING:
    from rich.console import Console

    from ca_reports.costs.caches.starts import CompiledCode, Start

_ROWS = 20


def render(start: Start, console: Console) -> None:
    """Print the headline, the causes with what to do, and the graphs."""
    writer = Lines(console)
    is_warm = bool(start.compiles) and start.outcomes.get("warm") == len(start.compiles)
    writer.line(words.headline(start), "bold green" if is_warm else "bold")
    if start.compiles and not is_warm:
        writer.line(words.compared(start), "dim")
    for cause in start.causes:
        writer.line("")
        writer.line(f"{words.cause_title(cause)}  ({words.size_of(cause)})", "bold")
        for line in words.cause_lines(cause):
            writer.line(line, indent=2)
    for note in words.notes(start):
        writer.line("")
        writer.line(note)
    if start.compiles:
        writer.line("")
        _table(writer, start, console.width)


def _table(writer: Lines, start: Start, width: int) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("Compile")
    table.add_column("Code", overflow="ellipsis", no_wrap=True, ratio=1)
    for name in ("AOTAutograd", "Inductor", "Compiled", "Saved"):
        table.add_column(name, justify="right", no_wrap=True)
    cwd = run_cwd(start.run)
    several = len({found.process.index for found in start.compiles}) > 1
    for found in start.compiles[:_ROWS]:
        table.add_row(
            *(Text(writer.safe(cell)) for cell in _cells(found, cwd, width // 3, several=several))
        )
    writer.table(table)
    if len(start.compiles) > _ROWS:
        more = and_more(len(start.compiles) - _ROWS, "graph")
        writer.line(f"{more}: see --format json", "dim")


def _cells(found: CompiledCode, cwd: str | None, width: int, *, several: bool) -> list[str]:
    place = found.location
    label = f"{found.process.label} {found.compile_id}" if several else found.compile_id
    return [
        label,
        "–" if place is None else f"{place.function} {shown_place(place, cwd, width)}",
        words.states(found, "aot"),
        words.states(found, "fx"),
        duration(found.seconds),
        duration(found.saved) if found.saved else "–",
    ]
