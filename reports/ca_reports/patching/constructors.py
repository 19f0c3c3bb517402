"""An attribute that objects have of their class is set on each of them when it is made."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import imports
from ca_reports.patching.editing import only_call
from ca_reports.patching.patches import RefusedError
from ca_reports.program.edits import insert_after, insert_before
from ca_reports.program.syntax import Definition, last_name

if TYPE_CHECKING:
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits


def with_own_tensor(
    file: SourceFile, owner: ast.ClassDef, name: str, program: EditableProgram
) -> list[Replacement]:
    """Make ``self.name = torch.tensor(self.name)`` in ``__init__``, added if missing.

    It comes after `super().__init__(…)`. Raises `RefusedError` if the source has no place for it.
    """
    program.require_unchanged(file)
    torch, added = imports.torch(file, owner)
    functions = [one for one in owner.body if isinstance(one, Definition)]
    own = next((one for one in functions if one.name == "__init__"), None)
    holder = f"{'self' if own is None else file.receiver(own)}.{name}"
    line = f"{holder} = {torch}.tensor({holder})"
    if own is None:
        return [*added, *_constructor(file, functions, line)]
    called = next((one for one in own.body if _is_of_base(file, one)), None)
    if called is None:
        raise RefusedError(f"{owner.name} calls no constructor at {file.place(own)}")
    return [*added, *insert_after(file, called, [line])]


def _constructor(file: SourceFile, functions: list[Definition], line: str) -> Edits:
    if not functions:
        raise RefusedError("the class has no functions")
    lines = (
        "def __init__(self, *args, **kwargs):",
        f"{file.unit}super().__init__(*args, **kwargs)",
        f"{file.unit}{line}",
        "",
    )
    return insert_before(file, functions[0], lines)


def _is_of_base(file: SourceFile, statement: ast.stmt) -> bool:
    """Return whether it is `super().__init__(…)`."""
    call = only_call(file, [statement])
    return (
        call is not None
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "__init__"
        and isinstance(call.func.value, ast.Call)
        and last_name(call.func.value.func) == "super"
    )
