"""The name of torch in a file, imported if it is not yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import moving
from ca_reports.fixes.patches import RefusedError, Replacement

if TYPE_CHECKING:
    from ca_reports.fixes.program import SourceFile


def torch(file: SourceFile, node: cst.CSTNode) -> tuple[str, tuple[Replacement, ...]]:
    """Return the name of `torch` at ``node``, and the import that it needs, if any.

    Raises `RefusedError` where the name is taken.
    """
    try:
        return moving.name_of_torch(file, node), ()
    except RefusedError:
        if file.variable_at("torch", node).bound:
            raise
    return "torch", (_import(file),)


def _import(file: SourceFile) -> Replacement:
    """``import torch``: before the first import of torch's, where sorted imports have it."""
    top = [
        statement
        for statement in file.tree.body
        if isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Import | cst.ImportFrom)
    ]
    parts = [one for one in top if file.code(one).startswith("import torch.")]
    if parts:
        at = file.line_start(parts[0])
        return Replacement(file.name, at, at, f"import torch{file.newline}")
    ours = [one for one in top if file.code(one).startswith("from torch")]
    if ours:
        block = [ours[0]]
        for one in reversed(top[: top.index(ours[0])]):
            follows = file.lines(one)[1] + 1 == file.lines(block[0])[0]
            if not follows or not file.code(one).startswith("from "):
                break
            block.insert(0, one)
        at = file.line_start(block[0])
        return Replacement(file.name, at, at, f"import torch{file.newline}")
    if top:
        at = min(len(file.text), file.line_end(file.span(top[-1])[1]) + len(file.newline))
        return Replacement(file.name, at, at, f"{file.newline}import torch{file.newline}")
    if not file.tree.body:
        raise RefusedError(f"{file.name} has no code")
    first = file.tree.body[0]
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        at = min(len(file.text), file.line_end(file.span(first)[1]) + len(file.newline))
        return Replacement(file.name, at, at, f"{file.newline}import torch{file.newline}")
    at = moving.before(file, first)
    return Replacement(file.name, at, at, f"import torch{file.newline * 2}")
