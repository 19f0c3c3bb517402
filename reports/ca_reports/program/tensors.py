"""Tells which expressions of a source are tensors, by what is written there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.syntax import is_text, last_name
from ca_reports.torchlib import modules, tensors

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
        is_view = node.attr in tensors.VIEWS and is_tensor(module, node.value, steps)
        return is_view or _is_of_module(module, node, steps)
    return isinstance(node, ast.Name) and steps > 0 and _is_of_tensors(module, node, steps - 1)


def _is_of_module(module: Module, node: ast.Attribute, steps: int) -> bool:
    """Return whether `self.name` is a buffer or a parameter, or only ever assigned a tensor.

    What is registered takes nothing but a tensor or None afterwards.
    """
    owner = module.class_of_self(node) if isinstance(node.value, ast.Name) else None
    if owner is None or not module.is_receiver(node.value):
        return False
    parts = list(ast.walk(owner))
    if any(
        isinstance(one, ast.Call)
        and last_name(one.func) in modules.REGISTERING_TENSORS
        and one.args
        and is_text(one.args[0], node.attr)
        for one in parts
    ):
        return True
    stores = [one for one in parts if _is_stored(module, one, node.attr)]
    values = [_value_of(module, one) for one in stores if not _is_changed(module, one)]
    return (
        bool(values)
        and steps > 0
        and all(
            one is not None and (_is_parameter(module, one) or is_tensor(module, one, steps - 1))
            for one in values
        )
    )


def _is_stored(module: Module, node: ast.AST, name: str) -> bool:
    """Return whether ``node`` is the `self.name` that something is assigned to."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Store)
        and module.is_receiver(node.value)
    )


def _is_changed(module: Module, target: ast.AST) -> bool:
    return isinstance(module.parents.get(target), ast.AugAssign)


def _value_of(module: Module, target: ast.AST) -> ast.expr | None:
    """Return what a target is assigned; None if that is a part of something, or not there."""
    statement = module.parents.get(target)
    return statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None


def _is_parameter(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and module.full_name(node.func) in modules.PARAMETERS


def compares_tensors(module: Module, compared: ast.Compare) -> bool:
    """Return whether a comparison is seen to be one of tensors, by what is made of it."""
    if is_tensor(module, compared):
        return True
    user = module.parents.get(compared)
    if isinstance(user, ast.BinOp) and isinstance(user.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return True  # of numbers `and` and `or` are written
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
