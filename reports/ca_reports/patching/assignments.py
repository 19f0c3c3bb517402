"""Targets of assignments with what each gets, of several in one line its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import container_of
from ca_reports.program.writes import is_in_place
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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


def changed_later(file: SourceFile, attributes: Collection[str]) -> Iterator[ast.AST]:
    """Yield what changes one of these attributes of any object, outside of constructors.

    It sets it, or an entry of it, fills it, writes to it in place, or sets some attribute by a
    name that is worked out.
    """
    for node in file.nodes:
        changed = isinstance(node, ast.Call) and _changes(file, node, attributes)
        if isinstance(node, ast.Attribute) and node.attr in attributes:
            changed = not isinstance(_entry_around(file, node).ctx, ast.Load)
        function = file.function(node) if changed else None
        if changed and getattr(function, "name", "") not in _CONSTRUCTORS:
            yield node


_CONSTRUCTORS = ("__init__", "__post_init__")
_SETS = ({"builtins.setattr"}, {"builtins.delattr"})


def _entry_around(file: SourceFile, node: ast.Attribute) -> ast.Attribute | ast.Subscript:
    """Return ``self.sizes[0]`` of ``self.sizes``, however deep; the attribute where it is whole."""
    found: ast.Attribute | ast.Subscript = node
    while isinstance(around := file.parent(found), ast.Subscript) and around.value is found:
        found = around
    return found


def _changes(file: SourceFile, call: ast.Call, attributes: Collection[str]) -> bool:
    if file.names(call.func) in _SETS:
        named = call.args[1] if len(call.args) > 1 else None
        return not isinstance(named, ast.Constant) or named.value in attributes
    func = call.func
    if not isinstance(func, ast.Attribute):
        return False
    owner = container_of(func.value)
    is_read = isinstance(owner, ast.Attribute) and owner.attr in attributes
    return is_read and (func.attr in containers.CHANGES or is_in_place(func.attr))


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
