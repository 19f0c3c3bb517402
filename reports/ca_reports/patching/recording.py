"""CA704, CA710, CA711: what only records is not compiled."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import calls, choices, imports, options, stances
from ca_reports.patching.editing import is_none, only_statement
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program import edits
from ca_reports.program.effects import trains
from ca_reports.program.positions import own_nodes, walk
from ca_reports.program.syntax import last_name, parameters_of

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram
    from ca_reports.program.syntax import Definition


def disabled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Make ``@torch.compiler.disable`` on a function that is compiled for itself and gives nothing.

    A graph break in it is why it is: without its own compiles there is one in its place. Raises
    `RefusedError` where it returns something, changes what it is given, or trains.
    """
    thing = program.guarded(finding)
    compiled = calls.compiled_of(thing, program) if thing is not None else None
    file = compiled.file if compiled is not None else None
    definition = compiled.definition if compiled is not None else None
    if compiled is None or file is None or definition is None:
        raise RefusedError("the compiled function is not known")
    name = definition.name
    if definition.decorator_list or name in stances.given_to_compile(program):
        raise RefusedError(f"{name} is compiled on purpose")
    # The call that meets the recompile limit has no code.
    known = [one for one in compiled.compiles if one.code is not None]
    if not known or not all(map(program.is_called_compiled, known)):
        raise RefusedError(f"{name} may be what is compiled on purpose")
    if not only_records(definition):
        raise RefusedError(f"{name} does more than record")
    program.require_unchanged(file)
    torch, added = imports.torch(file, definition)
    return [
        Patch(
            f"{name} at {file.place(definition)} not compiled: it only records",
            (*added, *edits.decorate(file, definition, f"{torch}.compiler.disable")),
            note=f"the graph breaks where {name} is called, as it does in it now",
        )
    ]


def kept_apart(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``self.seen.append(x.item())`` in a method of its own, which is not compiled.

    The graph breaks there now, and once it is resumed the list is guarded. Raises `RefusedError`
    unless that line is all that the compiled function does with the list.
    """
    thing = program.guarded(finding)
    name = thing.path.own_attribute if thing is not None else ""
    compiled = calls.compiled_of(thing, program) if thing is not None else None
    if compiled is None or not name or compiled.file is None or compiled.definition is None:
        raise RefusedError("no method of the program's keeps it")
    file, definition, source = compiled.file, compiled.definition, f"self.{name}"
    reads = [
        node
        for node in walk(*definition.body)
        if isinstance(node, ast.Attribute) and file.code(node) == source
    ]
    call: Any = file.parent(file.parent(reads[0])) if len(reads) == 1 else None
    if (
        not isinstance(call, ast.Call)
        or file.code(call.func) != f"{source}.append"
        or not isinstance(only_statement(file, [file.statement(call)]), ast.Expr)
        or len(edits.arguments(call)) != 1
        or not call.args
        or file.owner(definition) is None
    ):
        raise RefusedError(f"{source} is more than appended to")
    value: Any = call.args[0]
    change = choices.without_item(file, value)
    if file.span(value) != (change.start, change.end):
        raise RefusedError(f"what {source} gets isn't a single .item()")
    program.require_unchanged(file)
    name = choices.new_name(file, f"_add_to_{name.lstrip('_')}")
    torch, added = imports.torch(file, definition)
    lines = (
        f"@{torch}.compiler.disable",
        f"def {name}(self, value):",
        f"{file.unit}{source}.append(value.item())",
        "",
    )
    return [
        Patch(
            f"{source} filled by a method that is not compiled, at {file.place(call)}",
            (
                *added,
                *edits.insert_before(file, definition, lines),
                *edits.replace(file, call.func, f"self.{name}"),
                change,
            ),
            note="the graph breaks at that line as it does now",
        )
    ]


def only_records(definition: Definition) -> bool:
    """Return whether a function returns nothing, or what it was given, and changes none of that."""
    given = {*parameters_of(definition, by_place=True)}
    if options.fills_argument(definition):
        return False
    for node in own_nodes(*definition.body):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.Global | ast.Nonlocal):
            return False
        returned = node.value if isinstance(node, ast.Return) else None
        is_given = isinstance(returned, ast.Name) and returned.id in given
        if returned is not None and not is_none(returned) and not is_given:
            return False
        changed = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(changed, ast.Name) and changed.id in given:
            return False
        if isinstance(node, ast.Call):
            called = last_name(node.func)
            is_in_place = called.endswith("_") and not called.endswith("__")
            if is_in_place:
                return False
    return not any(map(trains, definition.body))
