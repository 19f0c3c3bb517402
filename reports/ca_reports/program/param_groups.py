"""The parameter groups of an optimizer, where a program takes hold of one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.syntax import For, last_name
from ca_reports.torchlib.optimizers import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.syntax import Module


def is_group(node: ast.AST, module: Module) -> bool:
    """Return whether ``node`` is an entry of ``param_groups``, or a variable that is set to one.

    Loops over the groups set one, too.
    """
    if not isinstance(node, ast.Name):
        return _is_entry(node)
    return any(map(_is_entry, module.assigned_to.get(node.id, ()))) or any(
        node.id in _names_in(loop.target) and GROUPS in _names_in(loop.iter)
        for loop in _loops_around(node, module)
    )


def _is_entry(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and last_name(node.value) == GROUPS


def _names_in(node: ast.AST) -> set[str]:
    return {last_name(part) for part in ast.walk(node)}


def _loops_around(node: ast.AST, module: Module) -> Iterator[For | ast.comprehension]:
    """Yield the loops around ``node``, those of comprehensions too."""
    for one in module.around(node):
        if isinstance(one, For):
            yield one
        yield from getattr(one, "generators", ())
