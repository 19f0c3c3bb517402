"""``ca diff`` as Markdown, for a job summary or a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import markdown
from ca_reports.output.compare_sections import sections
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from ca_reports.comparison.runs import Outcome
    from ca_reports.output.compare_sections import Row, Section


def render(outcome: Outcome) -> str:
    """At most `markdown.LIMIT` characters; what is new is open, the rest is folded."""
    found = outcome.comparison
    head = [
        "### ca diff",
        "",
        f"**{markdown.prose(outcome.headline)}**",
        "",
        f"{markdown.code(found.base.name)} → {markdown.code(found.head.name)}",
        "",
    ]
    blocks = []
    for section in sections(found):
        if section.table:
            head += markdown.table(*_cells(section))
        else:
            is_open = any(row.mark == "new" for row in section.rows)
            blocks.append(markdown.details(section.title, _rows(section), is_open=is_open))
    return markdown.assemble(head, blocks, [], "section")


def _cells(section: Section) -> tuple[list[str], list[list[str]]]:
    heading, *rows = ([markdown.prose(cell) or " " for cell in row] for row in section.table)
    return heading, rows


def _rows(section: Section) -> str:
    lines = [line for row in section.rows for line in _row(row)]
    if section.left_out:
        lines.append(f"- {and_more(section.left_out)}")
    return "\n".join(lines)


def _row(row: Row) -> list[str]:
    mark = f"**{row.mark}** " if row.mark else ""
    return [
        f"- {mark}{markdown.prose(row.text)}",
        *(f"  - {markdown.prose(line)}" for line in row.more if line),
    ]
