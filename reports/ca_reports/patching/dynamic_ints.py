"""Whole numbers of modules that have to stay numbers, made dynamic by an option of Dynamo's."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.facts.guard_paths import GuardPath
from ca_reports.patching import assignments, dynamic, options
from ca_reports.patching.editing import arithmetic_around
from ca_reports.patching.patches import RefusedError
from ca_reports.program.syntax import keys_of, last_name
from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Patch
    from ca_reports.patching.program import EditableProgram, SourceFile

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# Below it, each is compiled for itself, dynamic or not.
_LEAST = 2
# Compiles for one value, and for all others.
_COMPILES = 2


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``torch._dynamo.config.allow_unspec_int_on_nn_module = True``, and ``dynamic=True``.

    Without the latter the first value is compiled for alone. Raises `RefusedError` unless the
    number is one of a module's, which takes more values than the option leaves compiles, and
    nothing that reads it is compiled for each value.
    """
    known = finding.guarded_value
    if known is None or known.holder not in ("attribute", "module") or known.entry:
        raise RefusedError("what changes isn't a module's whole number")
    name = known.last
    numbers = {int(one) for one in known.values if one.isdigit()}
    is_whole = all(one.isdigit() for one in known.values)
    is_saved = len([one for one in numbers if one >= _LEAST]) > _COMPILES
    if not is_whole or not _is_of_module(known.path, name, program):
        raise RefusedError(f"{known.ref} isn't a module's whole number")
    if not is_saved:
        raise RefusedError(f"{known.ref} was compiled for too few values for a dynamic number")
    for file in program.files.values():
        for node in file.all(ast.Attribute) if name in file.text else ():
            if node.attr == name and not _stays_dynamic(file, node):
                raise RefusedError(f"{file.place(node)} is compiled for each {name}")
    return [options.ints_of_modules(program, *dynamic.everywhere(program))]


def _is_of_module(path: GuardPath, name: str, program: EditableProgram) -> bool:
    """Return whether a module of torch's kind has the number: by its path, or by its class."""
    if path.is_in_module:
        return True
    classes = [
        file.class_around(found.node)
        for file in program.files.values()
        if name in file.text
        for found in assignments.assigned(file)
        if file.is_own_attribute(found.target, name)
    ]
    return bool(classes) and all(
        owner is not None and any(last_name(base).endswith("Module") for base in owner.bases)
        for owner in classes
    )


def _stays_dynamic(file: SourceFile, node: Any) -> bool:
    """Return whether Dynamo needs no value where ``node`` is read, or only on which side it is."""
    whole = arithmetic_around(file, node)
    parent = file.parent(whole)
    if any(one is node for found in file.around(node) for one, _ in assignments.pairs(found)):
        return True
    if isinstance(parent, ast.Compare):
        return file.is_tensor(parent) or all(isinstance(one, _ORDERED) for one in parent.ops)
    call = file.call_given(whole)
    if call is not None:
        is_built_in = isinstance(call.func, ast.Name)
        is_known = last_name(call.func) in shapes.TAKES_DYNAMIC
        is_number = last_name(call.func) in ("min", "max")
        if is_built_in and is_number:
            return _stays_dynamic(file, call)
        return is_known and not is_number and not is_built_in
    for around in (parent, *file.around(parent)):
        if isinstance(around, ast.Subscript):
            return _is_slice_of_tensor(file, around, whole)
        if isinstance(around, ast.stmt) or file.call_given(around) is not None:
            break
    return isinstance(parent, ast.Assign | ast.Return) and whole is not node


def _is_slice_of_tensor(file: SourceFile, read: ast.Subscript, whole: Any) -> bool:
    """Return whether ``x[:, :n]`` has ``n`` as a bound: of a list, each part is another one."""
    parts = keys_of(read)
    is_bound = any(
        isinstance(part, ast.Slice) and whole in (part.lower, part.upper) for part in parts
    )
    return is_bound and (len(parts) > 1 or file.is_tensor(read.value))
