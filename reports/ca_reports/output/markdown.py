"""Markdown for a job summary or a comment in a pull request: short, and folded.

What comes from a log is escaped: it can be no markup, no link, no mention of anybody.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.output import advice
from ca_reports.sentences.failures import in_full
from ca_reports.sentences.places import at_line
from ca_reports.words.clean import BREAK, one_line
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.output.reported import Report, Reported
    from ca_reports.run.model import Run

# A comment of GitHub holds 65,536 characters.
LIMIT = 60_000
_TEXT = 2_000
_CODE = 400
_CODE_SPAN = expression(r"`([^`]+)`")
_MARKUP = expression(r"([\\`*_\[\]#|~$]|:(?=\w+:))")
_AT_THE_START = expression(r"^(\d{0,9})([-+.)])(?=\s|$)|^()([-=])(?=[-=\s]*$)")
# GitHub makes links of these, whatever is escaped around them.
_LINKED = expression(r"(?<=[@#])(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=GH-)(?=\d)")


def render(report: Report) -> str:
    """Return the whole of a report, at most ``LIMIT`` characters."""
    head = [f"### {report.command}", "", f"**{prose(report.headline)}**", ""]
    if report.exceeded:
        rows = [(check.sentence(), check.codes or "no finding") for check in report.exceeded]
        head += table(("exceeded", "because of"), [(prose(one), prose(two)) for one, two in rows])
    head += [prose(report.totals), ""]
    tail = [f"- {prose(note)}" for note in report.notes]
    blocks = [_finding(found, report.analysis.run) for found in report.shown]
    return assemble(head, blocks, tail, "finding")


def assemble(head: Sequence[str], blocks: Sequence[str], tail: Sequence[str], noun: str) -> str:
    """Put a text together; of the blocks in the middle, as many as fit ``LIMIT``."""
    before, after = "\n".join(head), "\n".join(tail)
    room = LIMIT - len(before) - len(after) - 100
    shown: list[str] = []
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            break
        shown.append(block)
    left = len(blocks) - len(shown)
    if left:
        shown.append(f"{and_more(left, noun).capitalize()}: see the HTML report.\n")
    text = "\n".join(part for part in (before, *shown, after) if part)
    return text[:LIMIT].rstrip() + "\n"


def details(summary: str, body: str, *, is_open: bool = False) -> str:
    """Return a block that folds. ``summary`` is plain text, ``body`` Markdown."""
    start = "<details open>" if is_open else "<details>"
    return f"{start}<summary>{_html(summary)}</summary>\n\n{body}\n\n</details>\n"


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return lines of a table and an empty one; the cells must be Markdown without newlines."""
    lines = [heading, ["---"] * len(heading), *rows]
    return [*("| " + " | ".join(line) + " |" for line in lines), ""]


def prose(text: str) -> str:
    """Text as Markdown that shows just that text; what is in backticks stays code."""
    clean = one_line(text, _TEXT)
    parts = _CODE_SPAN.split(clean)
    return "".join(code(part) if index % 2 else _escaped(part) for index, part in enumerate(parts))


def code(text: str) -> str:
    """Return a code span, whatever is in it. Not for tables, whose cells end at any ``|``."""
    clean = one_line(text, _CODE) or " "
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{padding}{clean}{padding}{fence}"


def _finding(found: Reported, run: Run) -> str:
    finding = found.finding
    cost = advice.cost(finding, run)
    where = at_line(found.found.file, found.found.line)
    mark = {"new": "new: ", "known": "known: "}.get(found.standing, "")
    summary = f"{mark}{found.title}: {one_line(finding.message, 160)}"
    if where:
        summary += f" ({where})"
    lines = [prose(finding.message), ""]
    if where:
        text = f" {code(found.found.text)}" if found.found.text else ""
        lines.append(f"- where: {code(where)}{text}")
    if finding.failure is not None:
        lines.append(f"- exception: {prose(in_full(finding.failure))}")
    lines += [f"- {prose(line)}" for line in (advice.when(finding), cost) if line]
    if finding.chain:
        lines.append(f"- chain: {prose(finding.chain)}")
    lines.append(f"- **{advice.fix_label(finding)}**: {prose(finding.fix)}")
    if told := advice.effects(finding):
        lines.append(f"- effect: {prose(told)}")
    return details(summary, "\n".join(lines))


def _escaped(text: str) -> str:
    marked = _MARKUP.sub(r"\\\1", html.escape(text, quote=False))
    marked = _AT_THE_START.sub(r"\1\3\\\2\4", marked)
    return _LINKED.sub(BREAK, marked)


def _html(text: str) -> str:
    return _LINKED.sub(BREAK, html.escape(one_line(text, _CODE)))
