"""Tells what a branch does with the rest of its function: what can take its place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from ca_reports.program.syntax import LOOPS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from ca_reports.program.syntax import Module

BranchEffect = Literal[
    "repeats", "leaves_loop", "skips_round", "raises", "runs_calls", "keeps", "chooses"
]

_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def branch_at(module: Module, line: int) -> ast.stmt | ast.expr | None:
    """Return what branches at ``line``; None where nothing does.

    Of a statement over several lines its test or its beginning has to be there; an expression
    within that test is a part of it.
    """
    found = [node for node in module.nodes if _is_at(node, line)]
    statements = [node for node in found if isinstance(node, ast.stmt)]
    return (statements or found or [None])[-1]


def effect_of(branch: ast.AST) -> BranchEffect:
    """Return what a branch does, of several things the one that is the hardest to do without."""
    if isinstance(branch, ast.While):
        return "repeats"
    if isinstance(branch, ast.Assert):
        return "raises"
    if not isinstance(branch, ast.If):
        return "chooses"
    leaving = set(map(type, _leaving([*branch.body, *branch.orelse])))
    if ast.Break in leaving:
        return "leaves_loop"
    if ast.Continue in leaving:
        return "skips_round"
    if any(isinstance(one, ast.Raise) for one in branch.body):
        return "raises"
    sides = [*branch.body, *branch.orelse]
    if all(map(_is_call, sides)):
        return "runs_calls"
    return "keeps" if any(map(_keeps, sides)) else "chooses"


def _keeps(statement: ast.stmt) -> bool:
    """Return whether a statement changes what an object has: ``self.hits += 1``."""
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AugAssign | ast.AnnAssign)
        else []
    )
    return any(isinstance(one, ast.Attribute) for one in targets)


def _is_at(node: ast.AST, line: int) -> TypeGuard[ast.stmt | ast.expr]:
    if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp):
        tested: ast.expr = node.test
    elif isinstance(node, ast.BoolOp):
        tested = node
    else:
        return False
    return tested.lineno <= line <= (tested.end_lineno or tested.lineno) or node.lineno == line


def _leaving(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield each `break` and `continue` that is of the loop around ``statements``."""
    for one in statements:
        if isinstance(one, ast.Break | ast.Continue):
            yield one
        elif not isinstance(one, (*LOOPS, *_APART)):
            inner = [part for part in ast.iter_child_nodes(one) if isinstance(part, ast.stmt)]
            yield from _leaving(inner)


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
