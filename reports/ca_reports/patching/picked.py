"""CA704: what a compiled function picks by a number of its object is picked by its caller."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import GuardedValue
from ca_reports.patching.asked import may_be_asked_twice
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program.calls import bound_arguments
from ca_reports.program.edits import operand, replace
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, is_starred, last_name, parameters_of, root_of

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Replacement


def outside(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Pass ``caches[layer.index]`` where ``caches`` was passed, of which ``self.index`` picked one.

    Raises `RefusedError` where the function does more with either, or a caller is not seen.
    """
    value = finding.detail
    if not isinstance(value, GuardedValue) or value.source != f"self.{value.last}":
        raise RefusedError("what picks is no attribute of self")
    file, function, picks = _picks(value.last, program)
    code = {file.code(one) for one in picks}
    parameter = root_of(picks[0])
    if len(code) != 1 or not isinstance(parameter, ast.Name):
        raise RefusedError(f"{function.name} picks more than one thing by {value.source}")
    name = parameter.id
    whole = {root_of(one) for one in picks}
    reads = [one for one in walk(*function.body) if isinstance(one, ast.Name) and one.id == name]
    other = next((one for one in reads if one not in whole), None)
    if name not in parameters_of(function) or other is not None:
        raise RefusedError(f"{function.name} does more with {name} than pick of it")
    path = file.code(picks[0])[len(name) :]
    changes = [edit for one in picks for edit in replace(file, one, name)]
    changes += _passed(file, function, name, path, program)
    program.require_unchanged(file)
    return [
        Patch(
            f"{name}{path} picked where {function.name} is called",
            tuple(dict.fromkeys(changes)),
            note=f"{name} is what was picked, in {function.name}",
        )
    ]


def _picks(
    name: str, program: EditableProgram
) -> tuple[SourceFile, Definition, list[ast.Subscript]]:
    """Find the one compiled method whose subscripts are all that reads ``self.name``."""
    reads = [
        (file, node)
        for file in program.files.values()
        for node in (file.all(ast.Attribute) if name in file.text else ())
        if node.attr == name and isinstance(node.ctx, ast.Load) and file.code(node.value) == "self"
    ]
    functions = {file.function(node): file for file, node in reads}
    picks = [file.parent(node) for file, node in reads]
    for (file, node), pick in zip(reads, picks, strict=True):
        is_pick = isinstance(pick, ast.Subscript) and pick.slice is node
        if not is_pick or not isinstance(pick.ctx, ast.Load):
            raise RefusedError(f"{file.place(node)} does more with self.{name} than pick by it")
    function = next(iter(functions), None)
    if len(functions) != 1 or not isinstance(function, Definition):
        raise RefusedError(f"self.{name} is read in more than one function, or in none")
    (file,) = functions.values()
    if not program.compiles_in(file, function):
        raise RefusedError(f"{function.name} is compiled within another function")
    return file, function, picks


def _passed(
    file: SourceFile, function: Definition, name: str, path: str, program: EditableProgram
) -> list[Replacement]:
    """Return what each caller passes: ``path`` of its argument, by the number of its callee."""
    calls = [
        (other, call, runs)
        for other in program.files.values()
        for call in other.all(ast.Call)
        if last_name(call.func) not in program.names.program.classes  # makes an object
        and function in (runs := {one.node for one in program.names.callees(call)})
    ]
    if not calls:
        raise RefusedError(f"can't find what calls {function.name}")
    owner = file.owner(function)
    order = parameters_of(function, by_place=True)[1:]
    changes: list[Replacement] = []
    for other, call, runs in calls:
        place = other.place(call)
        is_method = isinstance(call.func, ast.Attribute) and call.func.attr == function.name
        callee = (
            call.func.value if is_method and isinstance(call.func, ast.Attribute) else call.func
        )
        given = dict(bound_arguments(call, order)).get(name)
        if owner is None or runs != {function} or last_name(callee) in ("super", owner.name):
            raise RefusedError(f"{place} may call another function than {function.name}")
        if is_starred(call) or given is None or not may_be_asked_twice(callee):
            raise RefusedError(f"{place} passes {name} in another way")
        program.require_unchanged(other)
        text = operand(other, given) + path.replace("self", other.code(callee), 1)
        changes += replace(other, given, text)
    return changes
