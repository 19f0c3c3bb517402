"""CA801: a branch on a tensor that only writes something is asked after the graph."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices, imports, loops
from ca_reports.patching.editing import only_call
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import above
from ca_reports.program.positions import walk
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import Definition, last_name
from ca_reports.run.model import GraphBreak
from ca_reports.torchlib.dynamo import REORDERED

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_LEVELS = ("debug", "info", "warning", "error", "critical", "log")
_APART = (*COMPREHENSIONS, ast.Lambda)
_NAMES = ("_report", "_report_if", "_report_when_met")
_ADD = f"_dynamo.config.{REORDERED}.add"


def reported(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``if x.max() > 9: print("large", x)`` becomes ``_report(x.max() > 9, x)``.

    That is a function of the module that has the branch, which Dynamo calls after the graph: no
    remedy in a function that is inlined, or a hook, whose calls torch would leave out. Where
    the test is several in one, the function asks it. Of ``n = x.item()`` that nothing but such a
    branch reads, ``n`` stays a tensor. Raises `RefusedError` unless the branch only prints, warns
    or logs, of variables and attributes.
    """
    file, found = loops.nodes_at(finding.location, program, ast.If)
    if file is None:
        raise RefusedError("the branch on the line is not known")
    asked = [one for one in found if loops.is_at(finding.location, file, one.test, program)]
    branch: Any = asked[-1] if asked else None
    changes: list[Replacement] = []
    if branch is None:
        branch, item = _of_item(file, finding, program)
        changes.append(item)
    place = file.place(branch)
    if branch.orelse or isinstance(file.parent(branch), ast.If):
        raise RefusedError(f"{place} is one of several sides")
    lines = branch.body
    if not all(_only_writes(file, line) for line in lines):
        raise RefusedError(f"the branch at {place} does more than write something")
    outer = [one for one in file.around(branch) if isinstance(one, Definition | ast.ClassDef)]
    if not outer:
        raise RefusedError(f"the branch at {place} is in no function")
    breaks = (event for event in finding.events if isinstance(event, GraphBreak))
    if any(program.is_inlined(broken) for broken in breaks):
        raise RefusedError(
            f"{place} is in a function that is inlined, of which nothing is written after the graph"
        )
    program.require_unchanged(file)
    torch, added = imports.torch(file, branch)
    name = choices.new_name(file, *_NAMES)
    given: dict[str, str] = {}
    try:
        arguments, parameters = [choices.tensor_test(file, branch.test)], ["is_met"]
        test = "is_met"
    except RefusedError:
        arguments, parameters = [], []
        test = _by_parameters(file, branch.test, given)
    body = [_by_parameters(file, line, given) for line in lines]
    unit, newline = file.unit, file.newline
    text = newline.join(
        (
            f"@{torch}.compiler.disable",
            f"def {name}({', '.join([*parameters, *given.values()])}):",
            f"{unit}if {test}:",
            *(f"{unit * 2}{line}" for line in body),
            "",
            "",
            f"{torch}.{_ADD}({name})",
            "",
            "",
            "",
        )
    )
    at = above(file, outer[-1])
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    call = f"{name}({', '.join([*arguments, *given])})"
    told = f"{newline}{file.indent_of(branch)}".join([*_comments(file, branch, lines), call])
    return [
        Patch(
            f"what the branch at {place} writes is written after the graph, by {name}",
            (
                *added,
                *changes,
                Replacement(file.name, at, at, text),
                Replacement(file.name, start, end, told),
            ),
            note=f"{name} gets tensors and constants only",
        )
    ]


def _of_item(
    file: SourceFile, finding: Finding, program: EditableProgram
) -> tuple[ast.If, Replacement]:
    """Find the one branch that reads what the line sets by ``.item()``, and the line without it."""
    _, assigned = loops.nodes_at(finding.location, program, ast.Assign)
    target: Any = assigned[0].targets[0] if len(assigned) == 1 else None
    if not isinstance(target, ast.Name):
        raise RefusedError("the line that reads the value is not known")
    branches = [
        next((one for one in file.around(node) if isinstance(one, ast.If)), None)
        for node in file.reads_beside(target)
    ]
    branch = branches[0] if branches else None
    if branch is None or any(one is not branch for one in branches):
        raise RefusedError(f"{target.id} is read elsewhere than in one branch")
    return branch, choices.without_item(file, assigned[0].value)


def _only_writes(file: SourceFile, line: Any) -> bool:
    """Return whether it is a call of `print`, `warnings.warn` or a logger of the module's."""
    call = only_call(file, [line])
    if call is None:
        return False
    names = file.names(call.func)
    if names & {"builtins.print", "warnings.warn"}:
        return True
    if last_name(call.func) not in _LEVELS or not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    return isinstance(owner, ast.Name) and (
        file.names(owner) == {"logging"} or _is_logger(file, owner)
    )


def _is_logger(file: SourceFile, owner: ast.Name) -> bool:
    """Return whether ``owner`` is what the module got of `logging.getLogger`."""
    made: Any = loops.assigned_once(file, owner)
    return (
        _is_of_module(file, owner)
        and isinstance(made, ast.Call)
        and file.names(made.func) == {"logging.getLogger"}
    )


def _by_parameters(file: SourceFile, part: Any, given: dict[str, str]) -> str:
    """Return the code of a line or a test, with a parameter for all that it needs of its function.

    These are added to ``given``. Raises `RefusedError` where it calls a method of something that
    is not handed on.
    """
    start, end = file.span(part)
    text = file.text[start : file.line_end(end) if isinstance(part, ast.stmt) else end]
    if "\n" in text:
        raise RefusedError(f"{file.place(part)} runs over several lines")
    read = _read(file, part)
    for node in read:
        given.setdefault(file.code(node), _parameter(node, given))
    for node in reversed(read):
        first, last = (offset - start for offset in file.span(node))
        text = f"{text[:first]}{given[file.code(node)]}{text[last:]}"
    return text


def _parameter(node: Any, given: dict[str, str]) -> str:
    name = last_name(node).lstrip("_") or "value"
    taken = {"is_met", *given.values()}
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, 100))) if one not in taken)


def _read(file: SourceFile, line: Any) -> list[Any]:
    """Return variables of the function that ``line`` reads, as far as they are handed on whole."""
    found: list[Any] = []
    for node in walk(line):
        if not isinstance(node, ast.Name) or _is_of_module(file, node):
            continue
        parent = file.parent(node)
        if any(isinstance(around, _APART) for around in file.around(node)):
            raise RefusedError(f"{file.place(node)} writes what it makes there")
        if node.id == "self":
            whole: Any = parent
            while isinstance(outer := file.parent(whole), ast.Attribute):
                whole = outer
            called = file.parent(whole)
            if isinstance(called, ast.Call) and called.func is whole:
                whole = getattr(whole, "value", node)
            if whole is node or not isinstance(whole, ast.Attribute):
                raise RefusedError(f"{file.place(node)} calls a method of self")
            found.append(whole)
        else:
            found.append(node)
    return found


def _is_of_module(file: SourceFile, node: ast.Name) -> bool:
    """Return whether a name is the module's or Python's own, which another function can name."""
    variable = file.variable(node)
    return variable.is_global or (not variable.bound and hasattr(builtins, node.id))


def _comments(file: SourceFile, branch: Any, lines: Any) -> list[str]:
    """Return comments of the branch that are on none of its lines: those stay with the lines."""
    kept = {comment for line in lines for comment in choices.comments(file, line)}
    return [one for one in choices.comments(file, branch) if one not in kept]
