"""The statement of a line that a log quotes, where no source is at hand."""

from __future__ import annotations

import ast

from ca_reports.program.syntax import Module, Site


def statement(code: str) -> Site | None:
    """Return the one statement that a quoted line is; None of a part of one over several lines.

    The head of a branch or a loop has a body that does nothing: ``if x.item() > 1:``. Its module
    has nothing else: where its names come from is not known.
    """
    text = code.strip()
    if text.endswith(":"):
        text += " pass"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return Site(Module("", text, tree), tree.body[0]) if len(tree.body) == 1 else None
