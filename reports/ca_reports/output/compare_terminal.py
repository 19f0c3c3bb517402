"""``ca diff`` on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ca_reports.output.compare_sections import sections, verdict
from ca_reports.output.lines import Lines
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from rich.console import Console

    from ca_reports.comparison.runs import Outcome
    from ca_reports.output.compare_sections import Section

_STYLES = {"new": "red", "gone": "green", "moved": "cyan"}
_MARK = 7


def render(outcome: Outcome, console: Console) -> None:
    """Print all sections, then the outcome."""
    found = outcome.comparison
    writer = Lines(console)
    writer.line(f"{found.base.name} → {found.head.name}", "dim")
    writer.line(verdict(found), "bold")
    for section in sections(found):
        writer.line("")
        if section.table:
            _table(writer, section)
            continue
        writer.line(section.title, "bold")
        for row in section.rows:
            text = Text()
            if row.mark:
                text.append(f"{row.mark:{_MARK}}", _STYLES[row.mark])
            text.append(writer.safe(row.text))
            writer.text(text, 2, hanging=_MARK if row.mark else 0)
            for line in row.more:
                if line:
                    writer.line(line, "dim", 2 + _MARK)
        if section.left_out:
            writer.line(f"{and_more(section.left_out)}: see --format json", "dim", 2)
    writer.line("")
    writer.line(outcome.headline, "bold red" if outcome.failures else "bold")


def _table(writer: Lines, section: Section) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    heading, *rows = section.table
    for index, name in enumerate(heading):
        table.add_column(name, justify="right" if index else "left")
    for row in rows:
        table.add_row(*(Text(writer.safe(cell)) for cell in row))
    writer.table(table)
