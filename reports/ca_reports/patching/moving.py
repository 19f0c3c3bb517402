"""Statements that run in each step and need to run once: moved before the loop, or out of it."""

from __future__ import annotations

import ast
import itertools
from typing import TYPE_CHECKING, Any

from ca_reports.patching import effects, loops
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import imported_name
from ca_reports.program.edits import (
    insert_before,
    is_alone,
    is_simple,
    move_before,
    replace,
    words_in,
)
from ca_reports.program.positions import walk
from ca_reports.program.syntax import LOOPS, Definition

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile


def imports_of(file: SourceFile) -> list[Any]:
    """Return the imports at the head of ``file``, without those of ``__future__``.

    Raises `RefusedError` if it has none.
    """
    found = [
        one
        for one in file.tree.body
        if isinstance(one, ast.Import | ast.ImportFrom) and "__future__" not in words_in(one)
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
    if isinstance(given, ast.Name):
        found = file.variable(given).bound
        made_at = found[0] if len(found) == 1 else None
        statement = None if made_at is None else file.statement(made_at)
        inside = statement is not None and outermost_loop(file, statement) is loop
        if statement is None or not inside or is_on_a_condition(file, statement, loop):
            raise RefusedError(f"{given.id} is not made in that loop")
        is_one = isinstance(statement, Definition | ast.Assign)
        if not is_one or not is_alone(file, statement):
            raise RefusedError(f"{file.place(statement)} makes more than {given.id}")
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            _require_maker(file, statement.value, program)
        require_names_from_before(file, statement, loop)
        return Patch(what, move_before(file, statement, loop))
    if not isinstance(given, ast.Lambda | ast.Call):
        raise RefusedError(f"{file.code(given)} is made elsewhere")
    if isinstance(given, ast.Call):
        _require_maker(file, given, program)
    require_names_from_before(file, given, loop)
    used = words_in(file.tree)
    name = next(one for one in ("made_once", "made_before", "made_before_all") if one not in used)
    line = insert_before(file, loop, [f"{name} = {file.code(given)}"])
    return Patch(what, (*line, *replace(file, given, name)))


def _require_maker(file: SourceFile, call: ast.Call, program: EditableProgram) -> None:
    """Refuse a call that may give another thing in each step, as a method that draws one does."""
    try:
        effects.require_pure(file, [call], program)
    except RefusedError as refused:
        raise RefusedError(
            f"{file.code(call)} may give another thing in each step: {refused}"
        ) from None


def outermost_loop(file: SourceFile, node: ast.AST) -> Any:
    """Return the outermost loop around ``node`` in its function; None if there is none."""
    found = None
    for around in file.around(node):
        if isinstance(around, Definition | ast.Lambda | ast.ClassDef):
            break
        if isinstance(around, LOOPS):
            found = around
    return found


def name_of_torch(file: SourceFile, node: ast.AST) -> str:
    """Return the name of `torch` at ``node``. Raises `RefusedError` if it is not imported."""
    for statement in file.all(ast.Import):
        if any(
            isinstance(one, ast.If) and "TYPE_CHECKING" in words_in(one.test)
            for one in file.around(statement)
        ):
            continue
        for alias in statement.names:
            if alias.name != "torch" and not alias.name.startswith("torch."):
                continue
            if alias.asname is None:
                name = "torch"
            elif alias.name == "torch":
                name = alias.asname
            else:
                continue
            if file.variable_at(name, node).is_imported:
                return name
    if not file.variable_at("torch", node).bound and any(
        imported_name(other, one) == "torch" for other, one in file.bound_beside("torch")
    ):
        return "torch"  # of another cell
    raise RefusedError(f"{file.name} does not import torch by its name")


def is_on_a_condition(file: SourceFile, statement: Any, loop: Any) -> bool:
    """Return whether more than loops stands between ``statement`` and the ``loop`` around it."""
    between = itertools.takewhile(lambda around: around is not loop, file.around(statement))
    return any(not isinstance(around, LOOPS) for around in between)


def statement_to_move(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """Return the innermost statement that begins on the line to change."""
    file = program.file(finding.location)
    if file is None or finding.location is None:
        raise RefusedError("the line to change is not known")
    found: list[Any] = [
        one
        for one in file.nodes
        if (is_simple(one) or isinstance(one, ast.ClassDef))
        and loops.is_at(finding.location, file, one, program)
    ]
    if not found:
        raise RefusedError("the line to change is not known")
    return file, found[-1]


def require_names_from_before(file: SourceFile, statement: ast.AST, loop: Any) -> None:
    """Raise `RefusedError` if ``statement`` uses what the loop assigns."""
    first, last = file.lines(loop)
    own = set(walk(statement))
    for node in own:
        if not isinstance(node, ast.Name):
            continue
        variable = file.variable(node)
        if variable.owner is not file.variable_at(node.id, loop).owner:
            continue
        for made_at in variable.bound:
            if made_at in own:
                continue
            if first <= file.lines(made_at)[0] <= last:
                raise RefusedError(
                    f"{file.place(statement)} uses {node.id}, which the loop assigns"
                )
