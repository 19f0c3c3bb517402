"""CA704, CA710, CA711: what only records is not compiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import calls, choices, imports, moving, options, stances
from ca_reports.fixes.editing import is_none, only_statement
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram

_OF_SELF = re.compile(r"self\.([A-Za-z_]\w{0,99})")
# Methods that no record calls: a part of the training.
_TRAINS = ("backward", "zero_grad")


def disabled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``@torch.compiler.disable`` on a function that is compiled for itself and gives nothing.

    A graph break in it is why it is: without its own compiles there is one in its place. Raises
    `RefusedError` where it returns something, changes what it is given, or trains.
    """
    thing = program.guarded(finding)
    compiled = calls.compiled_of(thing, program) if thing is not None else None
    file = compiled.file if compiled is not None else None
    definition = compiled.definition if compiled is not None else None
    if compiled is None or file is None or definition is None:
        raise RefusedError("the compiled function is not known")
    name = definition.name.value
    if definition.decorators or name in stances.given_to_compile(program):
        raise RefusedError(f"{name} is compiled on purpose")
    # The call that meets the recompile limit has no code.
    known = [one for one in compiled.compiles if one.code is not None]
    if not known or not all(map(program.is_called_compiled, known)):
        raise RefusedError(f"{name} may be what is compiled on purpose")
    if not only_records(definition):
        raise RefusedError(f"{name} does more than record")
    program.require_unchanged(file)
    torch, added = imports.torch(file, definition)
    at = moving.before(file, definition)
    line = f"{file.indent_of(definition)}@{torch}.compiler.disable{file.newline}"
    return [
        Patch(
            f"{name} at {file.place(definition)} not compiled: it only records",
            (*added, Replacement(file.name, at, at, line)),
            note=f"the graph breaks where {name} is called, as it does in it now",
        )
    ]


def kept_apart(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``self.seen.append(x.item())`` in a method of its own, which is not compiled.

    The graph breaks there now, and once it is resumed the list is guarded. Raises `RefusedError`
    unless that line is all that the compiled function does with the list.
    """
    thing = program.guarded(finding)
    named = _OF_SELF.fullmatch(thing.source) if thing is not None else None
    compiled = calls.compiled_of(thing, program) if thing is not None else None
    if compiled is None or named is None or compiled.file is None or compiled.definition is None:
        raise RefusedError("no method of the program's keeps it")
    file, definition, source = compiled.file, compiled.definition, f"self.{named[1]}"
    reads = [
        node
        for node in walk(definition.body)
        if isinstance(node, cst.Attribute) and file.code(node) == source
    ]
    call: Any = file.parent(file.parent(reads[0])) if len(reads) == 1 else None
    if (
        not isinstance(call, cst.Call)
        or file.code(call.func) != f"{source}.append"
        or not isinstance(only_statement([file.statement(call)]), cst.Expr)
        or len(call.args) != 1
        or not isinstance(file.parent(file.parent(definition)), cst.ClassDef)
    ):
        raise RefusedError(f"{source} is more than appended to")
    value: Any = call.args[0].value
    change = choices.without_item(file, value)
    if file.span(value) != (change.start, change.end):
        raise RefusedError(f"what {source} gets is no single .item()")
    program.require_unchanged(file)
    name = choices.new_name(file, f"_add_to_{named[1].lstrip('_')}")
    torch, added = imports.torch(file, definition)
    indent = file.indent_of(definition)
    lines = (
        f"@{torch}.compiler.disable",
        f"def {name}(self, value):",
        f"{file.unit}{source}.append(value.item())",
    )
    text = "".join(f"{indent}{line}{file.newline}" for line in lines) + file.newline
    at = moving.before(file, (*definition.decorators, definition)[0])
    return [
        Patch(
            f"{source} filled by a method that is not compiled, at {file.place(call)}",
            (
                *added,
                Replacement(file.name, at, at, text),
                Replacement(file.name, *file.span(call.func), f"self.{name}"),
                change,
            ),
            note="the graph breaks at that line as it does now",
        )
    ]


def only_records(definition: cst.FunctionDef) -> bool:
    """Return whether a function returns nothing, or what it was given, and changes none of that."""
    every = (*definition.params.posonly_params, *definition.params.params)
    given = {one.name.value for one in every}
    if options.fills_argument(definition):
        return False
    for node in _own(definition.body):
        if isinstance(node, cst.Yield | cst.Await | cst.Global | cst.Nonlocal):
            return False
        returned = node.value if isinstance(node, cst.Return) else None
        is_given = isinstance(returned, cst.Name) and returned.value in given
        if returned is not None and not is_none(returned) and not is_given:
            return False
        changed = node.target if isinstance(node, cst.AugAssign) else None
        if isinstance(changed, cst.Name) and changed.value in given:
            return False
        if isinstance(node, cst.Call):
            called = last_name(node.func)
            is_in_place = called.endswith("_") and not called.endswith("__")
            if called in _TRAINS or is_in_place:
                return False
    return True


def _own(body: Any) -> Iterator[Any]:
    """The parts of a function that are not of one within it."""
    for part in body.children:
        if not isinstance(part, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            yield part
            yield from _own(part)
