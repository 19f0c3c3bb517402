"""``ca fix --format review``: what GitHub's API takes as the review of a pull request.

https://docs.github.com/rest/pulls/reviews: a comment for each group of changed lines, with a
suggestion that a reviewer can commit. The body names every patch, for where a line is outside of
the pull request's changes: there GitHub takes no comment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.output import fixes_markdown
from ca_reports.output.fixes_lines import lines
from ca_reports.output.markdown import prose
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.patching.result import Fixes


def render(fixes: Fixes) -> str:
    """Return one JSON object; ``comments`` is empty if there is no patch to offer."""
    comments: list[dict[str, Any]] = []
    for fix in fixes.offered:
        head, *rest = lines(fix)
        told = "\n".join([f"**{prose(head)}**", "", *(f"- {prose(line)}" for line in rest)])
        suggestions = list(fixes_markdown.suggestions(fix, fixes))
        for number, (file, first, last, text) in enumerate(suggestions, 1):
            part = f"Part {number} of {len(suggestions)}; they belong together.\n\n"
            comment: dict[str, Any] = {
                "path": fixes.path(file),
                "line": last,
                "side": "RIGHT",
                "body": f"{told}\n\n{part if len(suggestions) > 1 else ''}"
                f"{fixes_markdown.block(text)}",
            }
            if first != last:
                comment |= {"start_line": first, "start_side": "RIGHT"}
            comments.append(comment)
    body = fixes_markdown.render(fixes)
    return json_text({"event": "COMMENT", "body": body, "comments": comments})
