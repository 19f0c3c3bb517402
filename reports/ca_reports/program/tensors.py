"""Tells which expressions of a source are tensors, by what is written there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.syntax import last_name
from ca_reports.torchlib import tensors

if TYPE_CHECKING:
    from ca_reports.program.syntax import Module

# How many variables are followed.
_STEPS = 6


def is_tensor(module: Module, node: ast.AST, steps: int = _STEPS) -> bool:
    """Return whether the source shows that ``node`` is a tensor: not where it may be one."""
    if isinstance(node, ast.Call):
        return _is_made(module, node, steps)
    if isinstance(node, ast.BinOp):
        return any(is_tensor(module, one, steps) for one in (node.left, node.right))
    if isinstance(node, ast.Compare):
        return any(is_tensor(module, one, steps) for one in (node.left, *node.comparators))
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not) and is_tensor(module, node.operand, steps)
    if isinstance(node, ast.Subscript):
        return is_tensor(module, node.value, steps)
    if isinstance(node, ast.Attribute):
        return node.attr in tensors.VIEWS and is_tensor(module, node.value, steps)
    return isinstance(node, ast.Name) and steps > 0 and _is_of_tensors(module, node, steps - 1)


def compares_tensors(module: Module, compared: ast.Compare) -> bool:
    """Return whether a comparison is seen to be one of tensors, by what is made of it."""
    if is_tensor(module, compared):
        return True
    user = module.parents.get(compared)
    if isinstance(user, ast.Call) and compared in user.args:
        return last_name(user.func) == "where" and len(user.args) == 3 and user.args[0] is compared
    return isinstance(user, ast.Attribute) and user.attr in tensors.ASKED_OF_MASKS


def _is_made(module: Module, call: ast.Call, steps: int) -> bool:
    name = last_name(call.func)
    if name in tensors.NO_TENSOR or name.startswith(("is_", "get_", "set_")):
        return False
    known = module.full_name(call.func)
    if known:
        return known.rpartition(".")[0] + "." in tensors.COMPUTING and name[:1].islower()
    if not isinstance(call.func, ast.Attribute):
        return False
    return name in tensors.ONLY_OF_TENSORS or is_tensor(module, call.func.value, steps)


def _is_of_tensors(module: Module, name: ast.Name, steps: int) -> bool:
    """Return whether all that a variable may hold here is a tensor, and by its name alone."""
    values = []
    waiting, seen = [*module.bindings.definitions(name)], set[ast.AST]()
    while waiting:
        one = waiting.pop()
        parent = module.parents.get(one)
        if one in seen:
            continue
        seen.add(one)
        if isinstance(parent, ast.AugAssign):
            waiting += module.bindings.definitions(one)
            continue
        if not isinstance(parent, ast.Assign | ast.AnnAssign) or parent.value is None:
            return False
        values.append(parent.value)
    return bool(values) and all(is_tensor(module, one, steps) for one in values)
