"""Questions about syntax: is it a constant, a number, the only statement there?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.program.positions import walk
from ca_reports.program.syntax import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeGuard

    from ca_reports.patching.program import SourceFile

# The names that are values: no variables.
CONSTANTS = ("False", "None", "True")


def is_bool_or_none(node: Any) -> bool:
    """Return whether ``node`` is True, False or None."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def is_none(node: Any) -> bool:
    """Return whether ``node`` is None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_true(node: Any) -> bool:
    """Return whether ``node`` is True."""
    return isinstance(node, ast.Constant) and node.value is True


def is_number(node: Any) -> bool:
    """Return whether ``node`` is a number that is written down, without a sign."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def is_signed_number(node: Any) -> bool:
    """Return whether ``node`` is a number, or something with a sign or a `not` before it."""
    return is_number(node) or isinstance(node, ast.UnaryOp)


def is_string(node: Any) -> bool:
    """Return whether ``node`` is a text or bytes, with nothing put into it."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def arithmetic_around(file: SourceFile, node: Any) -> Any:
    """Return the arithmetic that ``node`` is a part of; ``node`` where it is in none."""
    while isinstance(around := file.parent(node), ast.BinOp | ast.UnaryOp):
        node = around
    return node


def is_not(node: Any) -> TypeGuard[ast.UnaryOp]:
    """Return whether ``node`` is `not x`."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_plain_comparison(node: Any) -> TypeGuard[ast.Compare]:
    """Return whether ``node`` compares two things, once."""
    return isinstance(node, ast.Compare) and len(node.ops) == 1


def has_call(node: ast.AST, *names: str) -> bool:
    """Return whether something that has one of these names is called in ``node``."""
    return any(isinstance(one, ast.Call) and last_name(one.func) in names for one in walk(node))


def only_statement(file: SourceFile, lines: Sequence[Any]) -> Any:
    """Return the statement that is all of ``lines``; None for more, or one that has a block."""
    return lines[0] if len(lines) == 1 and file.is_line(lines[0]) else None


def only_call(file: SourceFile, lines: Sequence[Any]) -> ast.Call | None:
    """Return the call that is all of ``lines``, whose result nobody uses; None for more."""
    only = only_statement(file, lines)
    value = only.value if isinstance(only, ast.Expr) else None
    return value if isinstance(value, ast.Call) else None


def positional(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that are given by position, but for those of ``*``."""
    return [one for one in call.args if not isinstance(one, ast.Starred)]


def stored(node: Any) -> list[Any]:
    """Return the targets of ``=`` and of ``+=``; nothing of another node."""
    if isinstance(node, ast.Assign):
        return [*node.targets]
    return [node.target] if isinstance(node, ast.AugAssign) else []


def only_target(node: Any) -> Any:
    """Return what a plain assignment sets; None if that is several targets, or it is none."""
    is_one = isinstance(node, ast.Assign) and len(node.targets) == 1
    return node.targets[0] if is_one else None
