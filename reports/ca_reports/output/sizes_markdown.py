"""``ca sizes`` as Markdown, for a job summary or a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import markdown
from ca_reports.sentences import sizes as words

if TYPE_CHECKING:
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans

_PLANS = 24


def render(found: RunSizes) -> str:
    """At most `markdown.LIMIT` characters; the first function is open, the others folded."""
    head = ["### ca sizes", "", f"**{markdown.prose(words.headline(found))}**", ""]
    blocks = [
        markdown.details(words.title(found, one), _text(one), is_open=number == 0)
        for number, one in enumerate(found.functions)
    ]
    return markdown.assemble(head, blocks, [], "function")


def _text(one: FunctionPlans) -> str:
    function = one.function
    lines = [
        f"- {markdown.prose(words.histogram_line(function, at))}"
        for at in range(len(function.arguments))
    ]
    if one.best is not None:
        rows = [[*map(markdown.prose, words.cells(plan))] for plan in words.shown(one, _PLANS)]
        lines += ["", *markdown.table([*words.headings(one)], rows), ""]
        lines.append(markdown.prose(f"Best: {words.how(one.best)}."))
    lines += ["", *(f"- {markdown.prose(note)}" for note in words.notes(one))]
    return "\n".join(lines)
