"""``ca sizes`` as Markdown, for a job summary or a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.render import markdown
from ca_reports.text import sizes as words
from ca_reports.text.numbers import counted
from ca_reports.text.places import run_cwd, shown_place

if TYPE_CHECKING:
    from ca_reports.sizes.examined import RunSizes
    from ca_reports.sizes.plans import FunctionPlans

_PLANS = 24


def render(found: RunSizes) -> str:
    """At most `markdown.LIMIT` characters; the first function is open, the others folded."""
    head = ["### ca sizes", "", f"**{markdown.prose(words.headline(found))}**", ""]
    blocks = [
        markdown.details(_title(found, one), _text(one), is_open=number == 0)
        for number, one in enumerate(found.functions)
    ]
    return markdown.assemble(head, blocks, [], "function")


def _title(found: RunSizes, one: FunctionPlans) -> str:
    place = one.function.location
    where = ""
    if place is not None:
        where = f"{place.function} {shown_place(place, run_cwd(found.run))}, "
    return f"{where}{counted(one.function.calls, 'call')}"


def _text(one: FunctionPlans) -> str:
    function = one.function
    lines = [
        f"- {markdown.prose(words.histogram_line(function, at))}"
        for at in range(len(function.arguments))
    ]
    if one.plans:
        heading = [
            "Plan", "Compiles", "Compiling", "Padding", "A step", words.total_heading(one)
        ]  # fmt: skip
        rows = [
            [
                markdown.prose(cell)
                for cell in (
                    words.plan_name(plan),
                    str(plan.compiles),
                    words.seconds(plan.compile_seconds),
                    words.padding(plan),
                    words.step_seconds(plan.step),
                    words.seconds(plan.total),
                )
            ]
            for plan in words.shown(one, _PLANS)
        ]
        lines += ["", *markdown.table(heading, rows), ""]
        lines.append(markdown.prose(f"Best: {words.how(one.plans[0])}."))
    lines += ["", *(f"- {markdown.prose(note)}" for note in words.notes(one))]
    return "\n".join(lines)
