"""Statements that run in each step and need to run once: moved before the loop, or out of it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import loops
from ca_reports.fixes.editing import RANDOM
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

LOOPS = (cst.For, cst.While)


def imports_of(file: SourceFile) -> list[Any]:
    """The imports at the head of ``file``, without those of ``__future__``.

    Raises `RefusedError` if it has none.
    """
    found = [
        one
        for one in file.tree.body
        if isinstance(one, cst.SimpleStatementLine)
        and isinstance(one.body[0], cst.Import | cst.ImportFrom)
        and "__future__" not in file.code(one)
    ]
    if not found:
        raise RefusedError(f"{file.name} imports nothing")
    return found


def argument(file: SourceFile, given: Any, program: EditableProgram) -> Patch:
    """CA706: the object that a call in a loop passes is made once, before the loop.

    Raises `RefusedError` if it is made of what the loop assigns.
    """
    loop = outermost_loop(file, given)
    if loop is None:
        raise RefusedError(f"{file.place(given)} is in no loop of its function")
    program.require_unchanged(file)
    what = f"{file.code(given)} at {file.place(given)} made once, before the loop"
    if isinstance(given, cst.Name):
        found = file.variable(given).nodes
        made_at = found[0] if len(found) == 1 else None
        statement = None if made_at is None else file.statement(made_at)
        inside = statement is not None and outermost_loop(file, statement) is loop
        if statement is None or not inside or is_on_a_condition(file, statement, loop):
            raise RefusedError(f"{given.value} is not made in that loop")
        is_one = isinstance(statement, cst.FunctionDef) or (
            isinstance(statement, cst.SimpleStatementLine)
            and isinstance(statement.body[0], cst.Assign)
        )
        if not is_one:
            raise RefusedError(f"{file.place(statement)} makes more than {given.value}")
        if isinstance(statement, cst.SimpleStatementLine):
            value = getattr(statement.body[0], "value", None)
            if isinstance(value, cst.Call):
                _require_maker(file, value, program)
        require_names_from_before(file, statement, loop)
        return Patch(what, moved_before(file, statement, loop))
    if not isinstance(given, cst.Lambda | cst.Call):
        raise RefusedError(f"{file.code(given)} is made elsewhere")
    if isinstance(given, cst.Call):
        _require_maker(file, given, program)
    require_names_from_before(file, given, loop)
    used = {node.value for node in file.all(cst.Name)}
    name = next(one for one in ("made_once", "made_before", "made_before_all") if one not in used)
    at = before(file, loop)
    line = f"{file.indent_of(loop)}{name} = {file.code(given)}{file.newline}"
    span = file.span(given)
    return Patch(what, (Replacement(file.name, at, at, line), Replacement(file.name, *span, name)))


def _require_maker(file: SourceFile, call: cst.Call, program: EditableProgram) -> None:
    """Refuse a call that may give another thing in each step, as a method that draws one does.

    A class and `partial` make the same each time, and so does a function of the program's whose
    source draws nothing at random and goes on with nothing (`next`).
    """
    name = last_name(call.func)
    if name[:1].isupper() or name == "partial":
        return
    bodies = [other.code(function) for other, function in program.definitions_of(name)]
    if (
        not isinstance(call.func, cst.Name)
        or not bodies
        or any(word in body for body in bodies for word in (*RANDOM, "next(", "global "))
    ):
        raise RefusedError(f"{file.code(call)} may give another thing in each step")


def outermost_loop(file: SourceFile, node: cst.CSTNode) -> Any:
    """The outermost loop around ``node`` in its function; None if there is none."""
    found = None
    for around in file.around(node):
        if isinstance(around, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
        if isinstance(around, LOOPS):
            found = around
    return found


def before(file: SourceFile, statement: cst.CSTNode) -> int:
    """Return where a line before ``statement`` goes: above the comments that are right above it."""
    at = file.line_start(statement)
    indent = file.indent_of(statement)
    while at:
        start = file.text.rfind("\n", 0, at - 1) + 1
        if not file.text[start:at].startswith(f"{indent}#"):
            break
        at = start
    return at


def name_of_torch(file: SourceFile, node: cst.CSTNode) -> str:
    """Return the name of `torch` at ``node``. Raises `RefusedError` if it is not imported."""
    for statement in file.all(cst.Import):
        if any(
            isinstance(one, cst.If) and "TYPE_CHECKING" in file.code(one.test)
            for one in file.around(statement)
        ):
            continue
        for alias in statement.names:
            if file.code(alias.name) != "torch" and not file.code(alias.name).startswith("torch."):
                continue
            if alias.asname is None:
                name = "torch"
            elif file.code(alias.name) == "torch":
                name = file.code(alias.asname.name)
            else:
                continue
            if file.variable_at(name, node).is_imported:
                return name
    raise RefusedError(f"{file.name} does not import torch by its name")


def is_on_a_condition(file: SourceFile, statement: Any, loop: Any) -> bool:
    """Return whether more than loops stands between ``statement`` and the ``loop`` around it."""
    between = itertools.takewhile(lambda around: around is not loop, file.around(statement))
    return any(not isinstance(around, (*LOOPS, cst.IndentedBlock)) for around in between)


def statement_to_move(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """The innermost statement that begins on the line to change."""
    file = program.file(finding.location)
    if file is None or finding.location is None:
        raise RefusedError("the line to change is not known")
    found: list[Any] = [
        one
        for one in file.nodes
        if isinstance(one, cst.SimpleStatementLine | cst.ClassDef)
        and loops.is_at(finding.location, file, one, program)
    ]
    if not found:
        raise RefusedError("the line to change is not known")
    return file, found[-1]


def require_names_from_before(file: SourceFile, statement: cst.CSTNode, loop: Any) -> None:
    """Raise `RefusedError` if ``statement`` uses what the loop assigns."""
    first, last = file.lines(loop)
    own = set(walk(statement))
    for node in own:
        if not isinstance(node, cst.Name):
            continue
        variable = file.variable(node)
        if variable.owner is not file.variable_at(node.value, loop).owner:
            continue
        for made_at in variable.nodes:
            if made_at is None or made_at in own:
                continue
            if first <= file.lines(made_at)[0] <= last:
                raise RefusedError(
                    f"{file.place(statement)} uses {node.value}, which the loop assigns"
                )


def moved_before(
    file: SourceFile,
    statement: cst.CSTNode,
    target: cst.CSTNode,
    edits: Sequence[Replacement] = (),
    *,
    blank_lines: int = 0,
) -> tuple[Replacement, ...]:
    """Cut ``statement`` with its comments out, and put it before ``target``, with ``edits``."""
    block = file.parent(statement)
    if len(getattr(block, "body", ())) < 2:
        raise RefusedError(f"nothing else is in the block of {file.place(statement)}")
    for node in walk(statement):
        if isinstance(node, cst.SimpleString | cst.FormattedString) and "\n" in file.code(node):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")
    start = file.line_start(_first_part(statement))
    end = file.line_end(file.span(statement)[1])
    end = min(len(file.text), end + len(file.newline))
    old, new = file.indent_of(statement), file.indent_of(target)
    cut = file.text[start:end]
    for edit in sorted(edits, reverse=True):
        cut = cut[: edit.start - start] + edit.text + cut[edit.end - start :]
    lines = cut.split("\n")
    text = "\n".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)
    if not text.endswith("\n"):
        text += file.newline
    if blank_lines:
        # The blank lines after it separated it from the rest of its old block.
        while file.text[end:].startswith(file.newline):
            end += len(file.newline)
    at = before(file, _first_part(target))
    return (
        Replacement(file.name, at, at, text + file.newline * blank_lines),
        Replacement(file.name, start, end, ""),
    )


def _first_part(statement: Any) -> Any:
    decorators = getattr(statement, "decorators", ())
    return decorators[0] if decorators else statement
