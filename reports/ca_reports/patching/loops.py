"""The loops that the backwards of a finding ran in, and what they loop over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import assignments
from ca_reports.program.positions import walk
from ca_reports.program.syntax import LOOPS, Definition, For

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, NodeT, SourceFile
    from ca_reports.program.stack import Frame

# Calls that hand on the batches of their first argument as they are.
_PASSED_ON = frozenset({"builtins.enumerate", "tqdm.tqdm", "tqdm.auto.tqdm", "rich.progress.track"})


def is_at(frame: Frame | None, file: SourceFile, node: ast.AST, program: EditableProgram) -> bool:
    """Return whether ``frame`` is a line of ``node``."""
    if frame is None or program.file(frame) is not file:
        return False
    first, last = file.lines(node)
    return first <= frame.line <= last


def nodes_at(
    frame: Frame | None, program: EditableProgram, *kinds: type[NodeT]
) -> tuple[SourceFile | None, list[NodeT]]:
    """Find the nodes of these kinds of the line ``frame``, with their file, if that is known."""
    file = program.file(frame)
    every = file.all(*kinds) if file is not None else []
    return file, [node for node in every if file and is_at(frame, file, node, program)]


def functions_at(
    frame: Frame | None, program: EditableProgram
) -> tuple[SourceFile | None, list[Definition]]:
    """Return the functions that ``frame`` is a line of, outer ones first, with their file."""
    file = program.file(frame)
    every = file.definitions if file is not None else []
    return file, [node for node in every if file and is_at(frame, file, node, program)]


def lines_at(
    frame: Frame | None, program: EditableProgram
) -> tuple[SourceFile | None, list[ast.stmt]]:
    """Return the statements without a block that ``frame`` is a line of, and that have it alone."""
    file = program.file(frame)
    every = file.lines_of_code if file is not None else ()
    return file, [node for node in every if file and is_at(frame, file, node, program)]


def frames(finding: Finding) -> list[Frame]:
    """Return the lines that the finding's events came through, and its own."""
    found = [frame for event in finding.events for frame in getattr(event, "stack", ())]
    found += [one for one in (finding.location, finding.noticed_at) if one is not None]
    return list(dict.fromkeys(found))


def training_loops(finding: Finding, program: EditableProgram) -> list[tuple[SourceFile, Any]]:
    """Return the `for` and `while` statements around those lines, each file's innermost last."""
    found: dict[Any, SourceFile] = {}
    for frame in frames(finding):
        file = program.file(frame)
        if file is None:
            continue
        for loop in (node for node in file.nodes if isinstance(node, LOOPS)):
            first, last = file.lines(loop)
            if first < frame.line <= last and _is_same_function(file, loop, frame.line):
                found[loop] = file
    return [(file, loop) for loop, file in found.items()]


def iterated_calls(finding: Finding, program: EditableProgram) -> list[ast.Call]:
    """Return the calls whose results these loops iterate over, through at most one variable."""
    found: list[ast.Call] = []
    for file, loop in training_loops(finding, program):
        if not isinstance(loop, For):
            continue
        value: Any = loop.iter
        while isinstance(value, ast.Call) and value.args and file.names(value.func) <= _PASSED_ON:
            if not file.names(value.func):
                break
            value = value.args[0]
        if isinstance(value, ast.Name):
            value = assigned_once(file, value)
        if isinstance(value, ast.Call):
            found.append(value)
    return found


def assigned_once(file: SourceFile, name: ast.Name) -> ast.expr | None:
    """Return what the variable ``name`` holds, if it is assigned in one place only."""
    bound = file.variable(name).bound
    parent = file.parent(bound[0]) if len(bound) == 1 else None
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return parent.value if parent.targets[0] is bound[0] else None
    return parent.value if isinstance(parent, ast.AnnAssign) else None


def begins_as_none(file: SourceFile, name: ast.Name) -> bool:
    """Return whether ``name`` is None in the first round of the loop it is read in, then not.

    None before the loop, and something else in it: the state that each round hands to the next.
    """
    loops = (one for one in file.around(name) if isinstance(one, LOOPS))
    loop = next(loops, None)
    if loop is None:
        return False
    values = {False: set[bool](), True: set[bool]()}  # in the loop → whether None is assigned
    for node in file.variable(name).bound:
        if isinstance(node, ast.alias | ast.pattern):
            return False
        given = assignments.given(file, node)
        is_none = given is not None and file.code(given) == "None"
        values[loop in file.around(node)].add(is_none)
    return True in values[False] and values[True] == {False}


def _is_same_function(file: SourceFile, loop: Any, line: int) -> bool:
    """Return whether the line runs in the loop: not in a function that is only defined there."""
    return not any(
        isinstance(node, Definition | ast.ClassDef)
        and file.lines(node)[0] <= line <= file.lines(node)[1]
        for line in loop.body
        for node in walk(line)
    )
