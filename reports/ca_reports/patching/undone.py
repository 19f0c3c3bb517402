"""Tells whether one patch undoes what another one sets.

A mark (`mark_dynamic`, `mark_unbacked`) is on one tensor: a copy of it that is passed in its place
has none, nor has what its name stands for afterwards.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching.patches import Patch, applied
from ca_reports.program.files import parsed

if TYPE_CHECKING:
    from collections.abc import Iterable


def undone(texts: dict[str, str], patches: Iterable[Patch], patch: Patch) -> str:
    """Say which of ``patches`` does not do its work beside ``patch``, or why that does not."""
    for other in patches:
        if _loses(texts, patch, other):
            return f"it would pass another tensor than the one that is marked: {other.what}"
        if _loses(texts, other, patch):
            return f"another patch passes another tensor than the one that it marks: {other.what}"
    return ""


def _loses(texts: dict[str, str], patch: Patch, marking: Patch) -> bool:
    """Return whether ``patch`` takes a tensor that ``marking`` marks out of a call."""
    own = [(file, tensor) for file, tensor in marking.marks if file in patch.files]
    changed = applied(texts, [patch]) if own else {}
    return any(_changes(texts[file], changed[file], tensor) for file, tensor in own)


def _changes(before: str, after: str, tensor: str) -> bool:
    passed, bound = _uses(before, tensor)
    passed_then, bound_then = _uses(after, tensor)
    return passed_then < passed or bound_then > bound


def _uses(text: str, tensor: str) -> tuple[int, int]:
    """Count how often ``tensor`` is an argument as it stands, and how often it is assigned."""
    tree = parsed(text)
    every = [] if tree is None else [*ast.walk(tree)]
    passed = [
        given
        for one in every
        if isinstance(one, ast.Call)
        for given in (*one.args, *(each.value for each in one.keywords))
    ]
    bound = [target for one in every if isinstance(one, ast.Assign) for target in one.targets]
    return (
        sum(ast.unparse(one) == tensor for one in passed),
        sum(ast.unparse(one) == tensor for one in bound),
    )
