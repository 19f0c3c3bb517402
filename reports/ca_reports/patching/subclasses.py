"""CA707: tensors of the program's own subclasses are passed as plain tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import imports
from ca_reports.patching.assignments import assigned
from ca_reports.patching.calls import compiled_of
from ca_reports.patching.editing import is_string
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.sites import arguments
from ca_reports.program.edits import append, is_docstring
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile

_TENSOR = "torch.Tensor"
# What asks for the class of an object.
_ASKING = ("isinstance", "issubclass", "type")


def plain(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Pass each argument ``.as_subclass(torch.Tensor)``, where its classes only carry a name.

    Raises `RefusedError` where a class may compute otherwise, or is asked for.
    """
    thing = program.guarded(finding)
    if thing is None:
        raise RefusedError("the records do not say what the guard checked")
    for name in sorted(set(thing.values) - {"Tensor"}):
        _require_only_a_name(name, program)
    changes: list[Replacement] = []
    for file, given in arguments(thing.source, compiled_of(thing, program), program):
        torch, added = imports.torch(file, given)
        changes += [*added, *append(file, given, f".as_subclass({torch}.Tensor)")]
    return [
        Patch(
            f"{thing.ref} passed as a plain tensor in every call",
            tuple(dict.fromkeys(changes)),
            note="what the calls return is a plain tensor, too",
        )
    ]


def _require_only_a_name(name: str, program: EditableProgram) -> None:
    """Raise `RefusedError` unless it is a class of the program's that no operation looks at."""
    found = [
        (file, one)
        for file in program.files.values()
        for one in file.all(ast.ClassDef)
        if one.name == name
    ]
    if len(found) != 1:
        raise RefusedError(
            f"{name} isn't one of the program's classes, and may compute something else"
        )
    file, owner = found[0]
    is_subclass = [file.names(base) for base in owner.bases] == [{_TENSOR}]
    methods = [one for one in owner.body if isinstance(one, Definition)]
    others = [one for one in owner.body if one not in methods and not is_docstring(one)]
    is_special = any(one.name.startswith("__") for one in methods)
    are_plain = all(isinstance(one, ast.Pass | ast.AnnAssign) for one in others)
    if not is_subclass or is_special or not are_plain:
        raise RefusedError(f"{name} at {file.place(owner)} may compute otherwise")
    own = {one.name for one in methods if not _is_static(one)} | set(_kept(owner, file))
    for other in program.files.values():
        for node in other.all(ast.Attribute):
            if (
                node.attr in own
                and isinstance(node.ctx, ast.Load)
                and owner not in other.around(node)
            ):
                raise RefusedError(f"{other.place(node)} reads {node.attr} of a {name}")
        for call in other.all(ast.Call):
            if last_name(call.func) in _ASKING and any(
                last_name(part) == name for one in call.args for part in walk(one)
            ):
                raise RefusedError(f"{other.place(call)} asks for {name}")
            if last_name(call.func) == "getattr" and not all(map(is_string, call.args[1:2])):
                raise RefusedError(f"{other.place(call)} may read what a {name} has")


def _is_static(method: Definition) -> bool:
    return any(last_name(one) in ("staticmethod", "classmethod") for one in method.decorator_list)


def _kept(owner: ast.ClassDef, file: SourceFile) -> Iterator[str]:
    """Yield the attributes that lines of the class set, of whatever object."""
    for one in assigned(file):
        if isinstance(one.target, ast.Attribute) and owner in file.around(one.node):
            yield one.target.attr
