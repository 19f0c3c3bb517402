"""Targets of assignments with what each gets, of several in one line its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.program import SourceFile


@dataclass(frozen=True)
class Assignment:
    """One target of the statement ``node`` and what it gets; of a pair its part: `a, b = 1, 2`."""

    file: SourceFile
    node: Any
    target: Any
    value: Any

    @property
    def is_in_place(self) -> bool:
        """Return whether it changes what is there: `+=`."""
        return isinstance(self.node, ast.AugAssign)


def assigned(file: SourceFile) -> Iterator[Assignment]:
    """Yield every assignment of a file; ``value`` is None where a name is declared only."""
    for node in file.nodes:
        for target, value in pairs(node):
            yield Assignment(file, node, target, value)


def pairs(node: ast.AST) -> Iterator[tuple[Any, Any]]:
    """Yield the targets of an assignment with what they get; nothing of another node."""
    if isinstance(node, ast.Assign):
        for one in node.targets:
            yield from _apart(one, node.value)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        yield node.target, node.value


def _apart(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    yield target, value
    parts, values = getattr(target, "elts", ()), getattr(value, "elts", ())
    is_in_order = len(parts) == len(values) and not any(
        isinstance(one, ast.Starred) for one in (*parts, *values)
    )
    if is_in_order and isinstance(value, ast.Tuple | ast.List):
        for part, own in zip(parts, values, strict=True):
            yield from _apart(part, own)


def given(file: SourceFile, target: Any) -> ast.expr | None:
    """Return the value that ``target`` is assigned, of several its own; None if not shown."""
    for around in file.around(target):
        for one, value in pairs(around):
            if one is target and not isinstance(around, ast.AugAssign):
                found: ast.expr | None = value
                return found
    return None
