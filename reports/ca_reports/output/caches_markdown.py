"""``ca caches`` as Markdown, for a job summary or a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import markdown
from ca_reports.sentences import caches as words
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.words.numbers import and_more, duration

if TYPE_CHECKING:
    from ca_reports.costs.caches.starts import Start

_ROWS = 50


def render(start: Start) -> str:
    """At most `markdown.LIMIT` characters; causes are open, the graphs are folded."""
    head = ["### ca caches", "", f"**{markdown.prose(words.headline(start))}**", ""]
    if start.causes or start.unexplained:
        head += [markdown.prose(words.compared(start)), ""]
    head += [f"- {markdown.prose(note)}" for note in words.notes(start)]
    blocks = [
        markdown.details(
            f"{words.cause_title(cause)} ({words.size_of(cause)})",
            "\n".join(f"- {markdown.prose(line)}" for line in words.cause_lines(cause)),
            is_open=True,
        )
        for cause in start.causes
    ]
    if start.compiles:
        blocks.append(markdown.details("Graphs", _graphs(start), is_open=False))
    return markdown.assemble(head, blocks, [], "section")


def _graphs(start: Start) -> str:
    cwd = run_cwd(start.run)
    rows = [
        [
            markdown.prose(cell)
            for cell in (
                found.compile_id,
                "–"
                if found.location is None
                else f"{found.location.function} {shown_place(found.location, cwd)}",
                words.states(found, "aot"),
                words.states(found, "fx"),
                duration(found.seconds),
                duration(found.saved) if found.saved else "–",
            )
        ]
        for found in start.compiles[:_ROWS]
    ]
    heading = ["Compile", "Code", "AOTAutograd", "Inductor", "Compiled", "Saved"]
    lines = markdown.table(heading, rows)
    if len(start.compiles) > _ROWS:
        lines.append(and_more(len(start.compiles) - _ROWS, "graph"))
    return "\n".join(lines)
