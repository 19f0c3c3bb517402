"""Which tensors a function writes to: a copy in the place of one would get what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes.patches import RefusedError
from ca_reports.fixes.program import last_name, walk
from ca_reports.torchlib.tensors import OF_SAME_MEMORY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.fixes.sites import CompiledSite

# How deep a tensor is followed into the functions that it is passed to.
_CALLS = 4
# What gives each tensor of a list.
_EACH = ("zip", "enumerate", "reversed", "list", "tuple")


def require_only_read(name: str, compiled: CompiledSite, program: EditableProgram) -> None:
    """Raise `RefusedError` where the compiled function writes to its argument ``name``."""
    if compiled.file is None or compiled.definition is None:
        return
    at = to_variables(compiled.file, compiled.definition.body, {name}, program)
    if at:
        raise RefusedError(f"{at} writes to {name}: a copy would get that")


def require_apart(
    file: SourceFile, node: Any, names: Iterable[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` where the function around ``node`` writes to a variable of ``names``."""
    function: Any = file.function(node)
    told = list(names)
    at = to_variables(file, function.body, told, program, always=told)
    if at:
        raise RefusedError(f"{at} writes to {' or '.join(told)}: a copy would get that, or miss it")


def to_variables(
    file: SourceFile,
    body: cst.CSTNode,
    names: Iterable[str],
    program: EditableProgram,
    calls: int = _CALLS,
    always: Iterable[str] = (),
) -> str:
    """Return where ``body`` writes to the memory of a variable of ``names``; empty if nowhere.

    Those in ``always`` also after they are assigned.
    """
    held = set(names)
    for node in walk(body):
        if _writes(file, node, held):
            return file.place(node)
        if isinstance(node, cst.Call) and calls:
            at = _in_called(node, held, program, calls - 1)
            if at:
                return at
        _follow(file, node, body, held)
        held |= set(always)
    return ""


def _follow(file: SourceFile, node: Any, body: cst.CSTNode, held: set[str]) -> None:
    """Add what ``node`` gives the same memory to ``held``, and take out what it gives another."""
    if isinstance(node, cst.For) and _is_held(node.iter, held):
        held |= {one.value for one in walk(node.target) if isinstance(one, cst.Name)}
    if not isinstance(node, cst.Assign):
        return
    for target in node.targets:
        if not isinstance(target.target, cst.Name):
            continue
        if _is_held(node.value, held):
            held.add(target.target.value)
        elif file.parent(file.statement(node)) is body:
            held.discard(target.target.value)


def _writes(file: SourceFile, node: Any, held: set[str]) -> bool:
    if isinstance(node, cst.AugAssign):
        return _is_held(node.target, held)
    if isinstance(node, cst.AssignTarget):
        target = node.target
        return isinstance(target, cst.Subscript | cst.Attribute) and _is_held(target, held)
    if not isinstance(node, cst.Call):
        return False
    given = [one.value for one in node.args if one.keyword is None]
    named = {one.keyword.value: one.value for one in node.args if one.keyword is not None}
    if "out" in named and _is_held(named["out"], held):
        return True
    is_first = bool(given) and _is_held(given[0], held)
    if is_first and "inplace" in named and file.code(named["inplace"]) == "True":
        return True
    name = last_name(node.func)
    if not name.endswith("_") or name.endswith("__") or name == "requires_grad_":
        return False
    if any(one.startswith("torch.") for one in file.names(node.func)):
        return is_first
    return isinstance(node.func, cst.Attribute) and _is_held(node.func.value, held)


def _in_called(call: cst.Call, held: set[str], program: EditableProgram, calls: int) -> str:
    """Return where a function of the program's writes to what ``call`` gives it."""
    if not isinstance(call.func, cst.Name):
        return ""
    for file, function in program.definitions_of(call.func.value):
        every = [*function.params.posonly_params, *function.params.params]
        parameters = [one.name.value for one in every]
        passed = {
            one.keyword.value if one.keyword is not None else parameters[number]
            for number, one in enumerate(call.args)
            if (one.keyword is not None or number < len(parameters)) and _is_held(one.value, held)
        }
        at = to_variables(file, function.body, passed, program, calls) if passed else ""
        if at:
            return at
    return ""


def _is_held(value: Any, held: set[str]) -> bool:
    """Return whether an expression may be of the memory of one of ``held``."""
    if isinstance(value, cst.Name):
        return value.value in held
    if isinstance(value, cst.Subscript):
        return _is_held(value.value, held)
    if isinstance(value, cst.Attribute):
        return value.attr.value in VIEWS and _is_held(value.value, held)
    if isinstance(value, cst.IfExp):
        return _is_held(value.body, held) or _is_held(value.orelse, held)
    if isinstance(value, cst.Tuple | cst.List):
        return any(_is_held(one.value, held) for one in value.elements)
    if not isinstance(value, cst.Call):
        return False
    if isinstance(value.func, cst.Name):
        return value.func.value in _EACH and any(_is_held(one.value, held) for one in value.args)
    if not isinstance(value.func, cst.Attribute):
        return False
    name = value.func.attr.value
    is_in_place = name.endswith("_") and not name.endswith("__")
    return (name in OF_SAME_MEMORY or is_in_place) and _is_held(value.func.value, held)


def is_written_at(file: SourceFile, node: Any) -> bool:
    """Return whether ``node`` is assigned, deleted, or written to by a method in place."""
    parent: Any = file.parent(node)
    while isinstance(parent, cst.Element | cst.Tuple):
        parent = file.parent(parent)
    if isinstance(parent, cst.AssignTarget | cst.Del):
        return True
    if isinstance(parent, cst.AugAssign | cst.AnnAssign):
        return parent.target is node
    while isinstance(parent, cst.Attribute | cst.Call | cst.Subscript):
        method = parent.attr.value if isinstance(parent, cst.Attribute) else ""
        if method.endswith("_") and not method.endswith("__"):
            return True
        parent = file.parent(parent)
    return False
