"""CA801: a branch on a tensor that only writes something is asked after the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst import metadata

from ca_reports.fixes import choices, imports, loops, moving
from ca_reports.fixes.editing import only_statement
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_LEVELS = ("debug", "info", "warning", "error", "critical", "log")
_NAMES = ("_report", "_report_if", "_report_when_met")
_ADD = "_dynamo.config.reorderable_logging_functions.add"


def reported(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``if x.max() > 9: print("large", x)`` becomes ``_report(x.max() > 9, x)``.

    A function of the module that has the branch, and that Dynamo calls after the graph. Raises
    `RefusedError` unless the branch only prints, warns or logs, of variables and attributes.
    """
    file, found = loops.nodes_at(finding.location, program, cst.If)
    asked = [
        one for one in found if file and loops.is_at(finding.location, file, one.test, program)
    ]
    branch: Any = asked[-1] if asked else None
    if file is None or branch is None:
        raise RefusedError("the branch on the line is not known")
    place = file.place(branch)
    if branch.orelse is not None or isinstance(file.parent(branch), cst.If):
        raise RefusedError(f"{place} is one of several sides")
    lines = getattr(branch.body, "body", ())
    if not all(_only_writes(file, line) for line in lines):
        raise RefusedError(f"the branch at {place} does more than write something")
    outer = [one for one in file.around(branch) if isinstance(one, cst.FunctionDef | cst.ClassDef)]
    if not outer:
        raise RefusedError(f"the branch at {place} is in no function")
    program.require_unchanged(file)
    test = choices.tensor_test(file, branch.test)
    torch, added = imports.torch(file, branch)
    name = choices.new_name(file, *_NAMES)
    given, body = _given(file, lines)
    unit, newline = file.unit, file.newline
    text = newline.join(
        (
            f"@{torch}.compiler.disable",
            f"def {name}({', '.join(['is_met', *given.values()])}):",
            f"{unit}if is_met:",
            *(f"{unit * 2}{line}" for line in body),
            "",
            "",
            f"{torch}.{_ADD}({name})",
            "",
            "",
            "",
        )
    )
    at = moving.before(file, (*outer[-1].decorators, outer[-1])[0])
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    call = f"{name}({', '.join([test, *given])})"
    told = f"{newline}{file.indent_of(branch)}".join([*_comments(file, branch, lines), call])
    return [
        Patch(
            f"what the branch at {place} writes is written after the graph, by {name}",
            (
                *added,
                Replacement(file.name, at, at, text),
                Replacement(file.name, start, end, told),
            ),
            note=f"{name} gets tensors and constants only",
        )
    ]


def _only_writes(file: SourceFile, line: Any) -> bool:
    """Return whether it is a call of `print`, `warnings.warn` or a logger of the module's."""
    only = only_statement([line])
    call = only.value if isinstance(only, cst.Expr) else None
    if not isinstance(call, cst.Call):
        return False
    names = file.names(call.func)
    if names & {"builtins.print", "warnings.warn"}:
        return True
    if last_name(call.func) not in _LEVELS or not isinstance(call.func, cst.Attribute):
        return False
    owner = call.func.value
    return isinstance(owner, cst.Name) and (
        file.names(owner) == {"logging"} or _is_logger(file, owner)
    )


def _is_logger(file: SourceFile, owner: cst.Name) -> bool:
    """Return whether ``owner`` is what the module got of `logging.getLogger`."""
    made: Any = loops.assigned_once(file, owner)
    return (
        _is_of_module(file, owner)
        and isinstance(made, cst.Call)
        and file.names(made.func) == {"logging.getLogger"}
    )


def _given(file: SourceFile, lines: Any) -> tuple[dict[str, str], list[str]]:
    """What the lines need of their function, each with its parameter, and the lines with those.

    Raises `RefusedError` where they call a method of something that is not handed on.
    """
    given: dict[str, str] = {}
    body: list[str] = []
    for line in lines:
        start = file.span(line)[0]
        text = file.text[start : file.line_end(file.span(line)[1])]
        if "\n" in text:
            raise RefusedError(f"{file.place(line)} runs over several lines")
        read = _read(file, line)
        for node in read:
            given.setdefault(file.code(node), _parameter(node, given))
        for node in reversed(read):
            first, last = (offset - start for offset in file.span(node))
            text = f"{text[:first]}{given[file.code(node)]}{text[last:]}"
        body.append(text)
    return given, body


def _parameter(node: Any, given: dict[str, str]) -> str:
    name = last_name(node).lstrip("_") or "value"
    taken = {"is_met", *given.values()}
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, 100))) if one not in taken)


def _read(file: SourceFile, line: Any) -> list[Any]:
    """The variables of the function that ``line`` reads, as far as they are handed on whole."""
    found: list[Any] = []
    for node in walk(line):
        if not isinstance(node, cst.Name) or _is_of_module(file, node):
            continue
        parent = file.parent(node)
        if getattr(parent, "attr", None) is node or getattr(parent, "keyword", None) is node:
            continue
        if any(isinstance(around, cst.Lambda | cst.CompFor) for around in file.around(node)):
            raise RefusedError(f"{file.place(node)} writes what it makes there")
        if node.value == "self":
            whole: Any = parent
            while isinstance(outer := file.parent(whole), cst.Attribute):
                whole = outer
            called = file.parent(whole)
            if isinstance(called, cst.Call) and called.func is whole:
                whole = getattr(whole, "value", node)
            if whole is node or not isinstance(whole, cst.Attribute):
                raise RefusedError(f"{file.place(node)} calls a method of self")
            found.append(whole)
        else:
            found.append(node)
    return found


def _is_of_module(file: SourceFile, node: cst.Name) -> bool:
    """Return whether a name is the module's or Python's own, which another function can name."""
    scope = file.scope(node)
    every = list(scope[node.value]) if scope is not None else []
    kinds = (metadata.GlobalScope, metadata.BuiltinScope)
    return bool(every) and all(isinstance(one.scope, kinds) for one in every)


def _comments(file: SourceFile, branch: Any, lines: Any) -> list[str]:
    """The comments of the branch that are on none of its lines: those stay with the lines."""
    kept = {comment for line in lines for comment in choices.comments(file, line)}
    return [one for one in choices.comments(file, branch) if one not in kept]
