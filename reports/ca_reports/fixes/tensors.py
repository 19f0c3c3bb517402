"""Tells which expressions of a source are tensors, by what is written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst import metadata

from ca_reports.fixes.program import last_name

if TYPE_CHECKING:
    from ca_reports.fixes.program import SourceFile

# How many variables are followed.
_STEPS = 6
# Functions of torch's that return no tensor, and methods of a tensor's that do not.
_NO_TENSOR = frozenset(
    (
        *("item", "tolist", "numpy", "size", "dim", "numel", "element_size", "stride", "type"),
        *("device", "dtype", "Size", "finfo", "iinfo", "compile", "Generator", "manual_seed"),
        *("get_default_dtype", "data_ptr", "ndimension", "storage_offset", "nelement"),
    )
)
# Modules of torch's whose functions compute tensors.
_COMPUTING = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.special.", "torch.fft.")
# Methods that only tensors have, in code that a compiler of tensors takes.
_OF_TENSORS = frozenset(
    (
        *("argsort", "softmax", "log_softmax", "sigmoid", "logsumexp", "unsqueeze", "cumsum"),
        *("masked_fill", "index_select", "gather", "scatter", "scatter_add", "expand_as"),
        *("new_zeros", "new_ones", "new_full", "new_empty", "detach", "requires_grad_"),
    )
)
_VIEWS = frozenset(("T", "mT", "data", "grad", "real", "imag"))


def is_tensor(file: SourceFile, node: Any, steps: int = _STEPS) -> bool:
    """Return whether the source shows that ``node`` is a tensor: not where it may be one."""
    if isinstance(node, cst.Call):
        return _is_made(file, node, steps)
    if isinstance(node, cst.BinaryOperation):
        return any(is_tensor(file, one, steps) for one in (node.left, node.right))
    if isinstance(node, cst.Comparison):
        others = [one.comparator for one in node.comparisons]
        return any(is_tensor(file, one, steps) for one in (node.left, *others))
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.operator, cst.Not) and is_tensor(file, node.expression, steps)
    if isinstance(node, cst.Subscript):
        return is_tensor(file, node.value, steps)
    if isinstance(node, cst.Attribute):
        return node.attr.value in _VIEWS and is_tensor(file, node.value, steps)
    return isinstance(node, cst.Name) and steps > 0 and _is_of_tensors(file, node, steps - 1)


def _is_made(file: SourceFile, call: cst.Call, steps: int) -> bool:
    name = last_name(call.func)
    if name in _NO_TENSOR or name.startswith(("is_", "get_", "set_")):
        return False
    known = file.names(call.func)
    if known:
        return all(one.rpartition(".")[0] + "." in _COMPUTING for one in known) and (
            name[:1].islower()
        )
    if not isinstance(call.func, cst.Attribute):
        return False
    return name in _OF_TENSORS or is_tensor(file, call.func.value, steps)


def _is_of_tensors(file: SourceFile, name: cst.Name, steps: int) -> bool:
    """Return whether each assignment of a variable gives it a tensor, and by its name alone."""
    scope = file.scope(name)
    if scope is None or name.value not in scope:
        return False
    values = []
    for assignment in scope[name.value]:
        if not isinstance(assignment, metadata.Assignment):
            return False
        parent = file.parent(assignment.node)
        if isinstance(parent, cst.AugAssign):
            continue
        if isinstance(parent, cst.AssignTarget):
            parent = file.parent(parent)
        if not isinstance(parent, cst.Assign | cst.AnnAssign) or parent.value is None:
            return False
        values.append(parent.value)
    return bool(values) and all(is_tensor(file, one, steps) for one in values)
