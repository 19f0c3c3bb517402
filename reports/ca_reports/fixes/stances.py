"""Runs a statement under another stance of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import moving
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import walk

if TYPE_CHECKING:
    from ca_reports.fixes.program import SourceFile


def under_stance(file: SourceFile, call: cst.CSTNode, stance: str) -> Replacement:
    """Put the statement of ``call`` in a ``with torch.compiler.set_stance(…)``.

    ``stance`` is an expression. Raises `RefusedError` unless the statement is one line of code
    that may be indented.
    """
    statement: Any = file.statement(call)
    if not isinstance(statement, cst.SimpleStatementLine):
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    for part in walk(statement):
        if isinstance(part, cst.Yield | cst.Await):
            raise RefusedError(f"{file.place(statement)} yields: run it uncompiled by hand")
        if isinstance(part, cst.SimpleString | cst.FormattedString) and "\n" in file.code(part):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")
    torch = moving.name_of_torch(file, statement)
    indent = file.indent_of(statement)
    start, end = file.line_start(statement), file.line_end(file.span(statement)[1])
    lines = file.text[start:end].split("\n")
    body = "\n".join(f"{file.unit}{line}" if line.strip() else line for line in lines)
    head = f"{indent}with {torch}.compiler.set_stance({stance}):{file.newline}"
    return Replacement(file.name, start, end, head + body)
