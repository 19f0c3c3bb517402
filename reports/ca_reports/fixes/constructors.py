"""An attribute that objects have of their class is set on each of them when it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import imports, moving
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import last_name

if TYPE_CHECKING:
    from ca_reports.fixes.program import EditableProgram, SourceFile


def with_own_tensor(
    file: SourceFile, owner: cst.ClassDef, name: str, program: EditableProgram
) -> list[Replacement]:
    """``self.name = torch.tensor(self.name)`` in ``__init__``, which is added where there is none.

    It comes after `super().__init__(…)`. Raises `RefusedError` if the source has no place for it.
    """
    program.require_unchanged(file)
    torch, added = imports.torch(file, owner)
    line = f"self.{name} = {torch}.tensor(self.{name})"
    functions = [one for one in owner.body.body if isinstance(one, cst.FunctionDef)]
    own = next((one for one in functions if one.name.value == "__init__"), None)
    if own is None:
        return [*added, _constructor(file, functions, line)]
    called = next((one for one in own.body.body if _is_of_base(one)), None)
    if called is None:
        raise RefusedError(f"{owner.name.value} calls no constructor at {file.place(own)}")
    at = file.line_end(file.span(called)[1] - 1)
    text = f"{file.newline}{file.indent_of(called)}{line}"
    return [*added, Replacement(file.name, at, at, text)]


def _constructor(file: SourceFile, functions: list[cst.FunctionDef], line: str) -> Replacement:
    if not functions:
        raise RefusedError("the class has no functions")
    first = functions[0]
    at = moving.before(file, (*first.decorators, first)[0])
    indent = file.indent_of(first)
    inner = indent + file.unit
    lines = (
        f"{indent}def __init__(self, *args, **kwargs):",
        f"{inner}super().__init__(*args, **kwargs)",
        f"{inner}{line}",
        "",
        "",
    )
    return Replacement(file.name, at, at, file.newline.join(lines))


def _is_of_base(statement: cst.CSTNode) -> bool:
    """Return whether it is `super().__init__(…)`."""
    only = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    call = only.value if isinstance(only, cst.Expr) else None
    return (
        isinstance(call, cst.Call)
        and isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "__init__"
        and isinstance(call.func.value, cst.Call)
        and last_name(call.func.value.func) == "super"
    )
