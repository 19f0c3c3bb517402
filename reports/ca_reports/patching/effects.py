"""Expressions that leave something behind: they may not run more often than the program has it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching.editing import RANDOM
from ca_reports.patching.patches import RefusedError
from ca_reports.program.positions import walk
from ca_reports.program.syntax import is_constant, keyword, last_name
from ca_reports.program.writes import is_in_place
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from ca_reports.patching.program import SourceFile

# Functions of Python's that write, set, or go on.
_TELLING = frozenset(("builtins.print", "builtins.next", "builtins.setattr", "builtins.delattr"))
# Methods that fill a container, or take something out, and that no tensor has.
_FILLING = frozenset((*containers.KEEPS, "update", "setdefault", *containers.TAKES_OUT))


def require_none(file: SourceFile, node: ast.AST) -> None:
    """Raise `RefusedError` where ``node`` changes what stays when it has been computed."""
    for part in walk(node):
        if _leaves_something(file, part):
            raise RefusedError(
                f"{file.place(part)} changes what stays, and would run where it did not before"
            )


def draws(node: ast.AST) -> bool:
    """Return whether a call in ``node`` draws random numbers, by its name."""
    names = [f"{last_name(one.func)}(" for one in walk(node) if isinstance(one, ast.Call)]
    return any(word in name for name in names for word in RANDOM)


def _leaves_something(file: SourceFile, part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return isinstance(part, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await)
    if keyword(part, "out") is not None:
        return True
    if (given := keyword(part, "inplace")) is not None and not is_constant(given, value=False):
        return True
    if file.names(part.func) & _TELLING:
        return True
    name = last_name(part.func)
    is_method = isinstance(part.func, ast.Attribute)
    return is_in_place(name) or (is_method and name in _FILLING)


def share(file: SourceFile, test: ast.expr) -> str:
    """Return 0 or 1 by a test, as code: ``if step % 3:`` is also taken at 2."""
    is_flag = isinstance(test, ast.Compare) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )
    return f"float({file.code(test)})" if is_flag else f"float(bool({file.code(test)}))"
