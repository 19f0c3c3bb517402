"""Whether the program writes to what a patch would copy, convert or replace."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.facts.guard_paths import verbatim
from ca_reports.patching.patches import RefusedError
from ca_reports.program.writes import written_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.patching.sites import CompiledSite


def require_only_read(name: str, compiled: CompiledSite, program: EditableProgram) -> None:
    """Raise `RefusedError` where the compiled function writes to its argument ``name``."""
    file, function = compiled.file, compiled.definition
    if file is None or function is None:
        return
    found = written_at(file, function, {name}, program.functions)
    if found is not None:
        at = found.module.place(found.node)
        raise RefusedError(f"{at} writes to {verbatim(name)}: a copy would get that")


def require_apart(
    file: SourceFile, node: Any, names: Iterable[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` where the function around ``node`` writes to a variable of ``names``."""
    told = list(names)
    found = written_at(file, file.scope(node), told, program.functions, always=told)
    if found is not None:
        at = found.module.place(found.node)
        raise RefusedError(f"{at} writes to {' or '.join(told)}: a copy would get that, or miss it")


def is_written_at(file: SourceFile, node: Any) -> bool:
    """Return whether ``node`` is assigned, deleted, or written to by a method in place."""
    whole, parent = node, file.parent(node)
    while isinstance(parent, ast.Tuple | ast.Starred):
        whole, parent = parent, file.parent(parent)
    if isinstance(parent, ast.Assign):
        return any(one is whole for one in parent.targets)
    if isinstance(parent, ast.Delete):
        return True
    if isinstance(parent, ast.AugAssign | ast.AnnAssign):
        return parent.target is node
    while isinstance(parent, ast.Attribute | ast.Call | ast.Subscript):
        method = parent.attr if isinstance(parent, ast.Attribute) else ""
        if method.endswith("_") and not method.endswith("__"):
            return True
        parent = file.parent(parent)
    return False
