"""Whether the program writes to what a patch would copy, convert or replace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes.patches import RefusedError
from ca_reports.source.writes import written_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.fixes.sites import CompiledSite


def require_only_read(name: str, compiled: CompiledSite, program: EditableProgram) -> None:
    """Raise `RefusedError` where the compiled function writes to its argument ``name``."""
    if compiled.file is None or compiled.definition is None:
        return
    file, function = compiled.file, compiled.file.scope(compiled.definition.name)
    found = written_at(file.module, function, {name}, program.functions)
    if found is not None:
        raise RefusedError(f"{program.place(found)} writes to {name}: a copy would get that")


def require_apart(
    file: SourceFile, node: Any, names: Iterable[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` where the function around ``node`` writes to a variable of ``names``."""
    told = list(names)
    found = written_at(file.module, file.scope(node), told, program.functions, always=told)
    if found is not None:
        at = program.place(found)
        raise RefusedError(f"{at} writes to {' or '.join(told)}: a copy would get that, or miss it")


def is_written_at(file: SourceFile, node: Any) -> bool:
    """Return whether ``node`` is assigned, deleted, or written to by a method in place."""
    parent: Any = file.parent(node)
    while isinstance(parent, cst.Element | cst.Tuple):
        parent = file.parent(parent)
    if isinstance(parent, cst.AssignTarget | cst.Del):
        return True
    if isinstance(parent, cst.AugAssign | cst.AnnAssign):
        return parent.target is node
    while isinstance(parent, cst.Attribute | cst.Call | cst.Subscript):
        method = parent.attr.value if isinstance(parent, cst.Attribute) else ""
        if method.endswith("_") and not method.endswith("__"):
            return True
        parent = file.parent(parent)
    return False
