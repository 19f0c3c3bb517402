"""Calls of what `functools.partial` makes on the spot: `partial(loss, net)(x)` is `loss(net, x)`.

Python runs the one as it runs the other, so a tree has the second, at the place of the first:
whoever asks what a line calls and gives need not know of it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.scopes import bound_by

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeGuard

_MODULE = "functools"
# Without this name in a text there is nothing to join.
NAME = "partial"


def join(tree: ast.Module) -> None:
    """Put each call of a `partial` made on the spot into ``tree`` as one of the function itself.

    Nothing is done where the file gives the name of `partial` to something else as well.
    """
    nodes = list(ast.walk(tree))
    modules, functions = _names(nodes)
    for node in nodes if modules or functions else ():
        for name in () if isinstance(node, ast.alias) else bound_by(node):
            modules.discard(name)
            functions.discard(name)
    if not modules and not functions:
        return

    # Inner calls first: one of them may give what an outer one calls.
    for node in reversed(nodes):
        while isinstance(node, ast.Call) and _is_partial(node.func, modules, functions):
            made = node.func
            given = {one.arg for one in node.keywords} - {None}
            node.func, *bound = made.args
            node.args = [*bound, *node.args]
            kept = [one for one in made.keywords if one.arg not in given]
            node.keywords = [*kept, *node.keywords]


def _is_partial(
    node: ast.expr, modules: Collection[str], functions: Collection[str]
) -> TypeGuard[ast.Call]:
    """Return whether ``node`` is `partial(function, …)`."""
    if not isinstance(node, ast.Call) or not node.args or isinstance(node.args[0], ast.Starred):
        return False
    match node.func:
        case ast.Name(id=name):
            return name in functions
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return name == NAME and module in modules
    return False


def _names(nodes: list[ast.AST]) -> tuple[set[str], set[str]]:
    """Return the names that imports give to `functools`, and to its `partial`."""
    modules: set[str] = set()
    functions: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name for one in node.names if one.name == _MODULE}
        elif isinstance(node, ast.ImportFrom) and node.module == _MODULE:
            functions |= {one.asname or one.name for one in node.names if one.name == NAME}
    return modules, functions
