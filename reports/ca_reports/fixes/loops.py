"""The loops that the backwards of a finding ran in, and what they loop over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import assignments
from ca_reports.fixes.program import walk

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, NodeT, SourceFile
    from ca_reports.stack import Frame

# Calls that hand on the batches of their first argument as they are.
_PASSED_ON = frozenset({"builtins.enumerate", "tqdm.tqdm", "tqdm.auto.tqdm", "rich.progress.track"})


def is_at(
    frame: Frame | None, file: SourceFile, node: cst.CSTNode, program: EditableProgram
) -> bool:
    """Return whether ``frame`` is a line of ``node``."""
    if frame is None or program.file(frame) is not file:
        return False
    first, last = file.lines(node)
    return first <= frame.line <= last


def nodes_at(
    frame: Frame | None, program: EditableProgram, kind: type[NodeT]
) -> tuple[SourceFile | None, list[NodeT]]:
    """The nodes of a kind that ``frame`` is a line of, with their file; None if it is not known."""
    file = program.file(frame)
    every = file.all(kind) if file is not None else []
    return file, [node for node in every if file and is_at(frame, file, node, program)]


def frames(finding: Finding) -> list[Frame]:
    """The lines that the finding's events came through, and its own."""
    found = [frame for event in finding.events for frame in getattr(event, "stack", ())]
    found += [one for one in (finding.location, finding.noticed_at) if one is not None]
    return list(dict.fromkeys(found))


def training_loops(finding: Finding, program: EditableProgram) -> list[tuple[SourceFile, Any]]:
    """The `for` and `while` statements around those lines, each file's innermost last."""
    found: dict[Any, SourceFile] = {}
    for frame in frames(finding):
        file = program.file(frame)
        if file is None:
            continue
        for loop in (node for node in file.nodes if isinstance(node, cst.For | cst.While)):
            first, last = file.lines(loop)
            if first < frame.line <= last and _is_same_function(file, loop, frame.line):
                found[loop] = file
    return [(file, loop) for loop, file in found.items()]


def iterated_calls(finding: Finding, program: EditableProgram) -> list[cst.Call]:
    """The calls whose results these loops iterate over, through at most one variable."""
    found: list[cst.Call] = []
    for file, loop in training_loops(finding, program):
        if not isinstance(loop, cst.For):
            continue
        value: Any = loop.iter
        while isinstance(value, cst.Call) and value.args and file.names(value.func) <= _PASSED_ON:
            if not file.names(value.func):
                break
            value = value.args[0].value
        if isinstance(value, cst.Name):
            value = assigned_once(file, value)
        if isinstance(value, cst.Call):
            found.append(value)
    return found


def assigned_once(file: SourceFile, name: cst.Name) -> cst.BaseExpression | None:
    """Return what the variable ``name`` holds, if it is assigned in one place only."""
    nodes = file.variable(name).nodes
    if len(nodes) != 1 or nodes[0] is None:
        return None
    parent = file.parent(nodes[0])
    if isinstance(parent, cst.AssignTarget):
        parent = file.parent(parent)
        if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
            return parent.value
    return parent.value if isinstance(parent, cst.AnnAssign) else None


def begins_as_none(file: SourceFile, name: cst.Name) -> bool:
    """Return whether ``name`` is None in the first round of the loop it is read in, then not.

    None before the loop, and something else in it: the state that each round hands to the next.
    """
    loops = (one for one in file.around(name) if isinstance(one, cst.For | cst.While))
    loop = next(loops, None)
    if loop is None:
        return False
    values = {False: set[bool](), True: set[bool]()}  # in the loop → whether None is assigned
    for node in file.variable(name).nodes:
        if node is None or isinstance(node, cst.ImportAlias):
            return False
        given = assignments.given(file, node)
        is_none = given is not None and file.code(given) == "None"
        values[loop in file.around(node)].add(is_none)
    return True in values[False] and values[True] == {False}


def _is_same_function(file: SourceFile, loop: Any, line: int) -> bool:
    """Return whether the line runs in the loop: not in a function that is only defined there."""
    return not any(
        isinstance(node, cst.FunctionDef | cst.ClassDef)
        and file.lines(node)[0] <= line <= file.lines(node)[1]
        for node in walk(loop.body)
    )
