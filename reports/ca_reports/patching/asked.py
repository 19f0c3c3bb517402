"""Values that a stance asks for before a call: what the call makes is kept in a variable first."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_reports.patching.patches import RefusedError
from ca_reports.program.edits import arguments
from ca_reports.program.positions import walk

if TYPE_CHECKING:
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile

_LOOKED_UP = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant)


def may_be_asked_twice(given: ast.expr) -> bool:
    """Return whether an expression only looks something up."""
    parts = (part for part in walk(given) if isinstance(part, ast.expr))
    return all(isinstance(part, _LOOKED_UP) for part in parts)


def require_movable(
    file: SourceFile, call: ast.Call, made: ast.Call, program: EditableProgram
) -> None:
    """Raise `RefusedError` where the order counts in which ``made`` and the others are made."""
    if all(may_be_asked_twice(one.value) for one in arguments(call) if one.value is not made):
        return
    if program.effects.of(file, [one.value for one in arguments(call)]):
        raise RefusedError(f"the arguments at {file.place(call)} are made in that order")


def kept_first(file: SourceFile, made: Any, name: str, under: Replacement) -> Replacement:
    """Return ``under`` with the call ``made`` in a variable before it."""
    if made is None:
        return under
    code = file.code(made)
    indent = under.text[: len(under.text) - len(under.text.lstrip())]
    head, body = under.text.split(file.newline, 1)
    text = f"{indent}{name} = {code}{file.newline}{head}{file.newline}"
    return replace(under, text=text + body.replace(code, name))
