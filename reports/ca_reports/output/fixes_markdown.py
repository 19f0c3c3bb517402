"""Patches as Markdown: a suggestion of GitHub's for each, which a reviewer can commit."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from ca_reports.output.fixes_lines import lines
from ca_reports.output.markdown import prose
from ca_reports.patching.patches import applied
from ca_reports.words.numbers import agreeing, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.result import Fix, Fixes


def render(fixes: Fixes) -> str:
    """Return a section for each patch, with a block for each group of changed lines."""
    parts: list[str] = []
    for fix in fixes.offered:
        head, *rest = lines(fix)
        parts += [f"### {prose(head)}", *(f"- {prose(line)}" for line in rest)]
        for file, first, last, text in suggestions(fix, fixes):
            where = f"{agreeing(last - first + 1, 'line', 'lines')} {span(first, last)}"
            parts.append(f"\n`{file}`, {where}:\n\n{block(text)}\n")
    if not parts:
        return "No patch to offer.\n"
    return "\n".join(parts)


def block(text: str) -> str:
    """Return a suggestion of ``text`` in the place of the lines that it is a comment on."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}suggestion\n{text}{fence}"


def suggestions(fix: Fix, fixes: Fixes) -> Iterator[tuple[str, int, int, str]]:
    """File, first and last line, and the text for them; an insertion takes the line after it."""
    for file, text in applied(dict(fixes.texts), [fix.patch]).items():
        old, new = fixes.texts[file].splitlines(keepends=True), text.splitlines(keepends=True)
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, begin, end, new_begin, new_end in matcher.get_opcodes():
            if tag == "equal":
                continue
            if begin == end and end < len(old):
                end, new_end = end + 1, new_end + 1
            body = "".join(new[new_begin:new_end])
            yield file, begin + 1, end, body if body.endswith("\n") or not body else body + "\n"


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
