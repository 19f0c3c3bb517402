"""Runs a statement under another stance of the compiler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import moving
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import last_name, names_in, walk

if TYPE_CHECKING:
    from ca_reports.fixes.program import EditableProgram, SourceFile

_COMPILE = "torch.compile"
_STANCE = "torch.compiler.set_stance"
# A stance under which calls are compiled while something holds.
_CONDITION = re.compile(r'"default" if ((?:(?! if | or | else ).){1,300}) else "force_eager"')
# What runs a call several times in one line, or later: what it gets is not known outside.
_REPEATING = (cst.BaseComp, cst.Lambda)
_AT_ONCE = (cst.ListComp, cst.SetComp, cst.DictComp)


def under_stance(
    file: SourceFile, call: cst.CSTNode, stance: str, program: EditableProgram
) -> Replacement:
    """Put the statement of ``call`` in a ``with torch.compiler.set_stance(…)``.

    ``stance`` is an expression. Raises `RefusedError` unless the statement is one line of code
    that may be indented, and ``stance`` is the same for each time that it runs ``call``.
    """
    statement: Any = file.statement(call)
    if not isinstance(statement, cst.SimpleStatementLine):
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    function = file.function(call)
    if isinstance(function, cst.FunctionDef) and (
        function.name.value in given_to_compile(program) or program.is_compiled(file, function)
    ):
        raise RefusedError(f"{file.place(call)} is compiled itself: no stance can be set there")
    if any(_repeats(around, stance) for around in file.around(call)):
        raise RefusedError(f"{file.place(call)} is run several times in one line")
    for part in walk(statement):
        if isinstance(part, cst.Yield | cst.Await):
            raise RefusedError(f"{file.place(statement)} yields: run it uncompiled by hand")
        if isinstance(part, cst.SimpleString | cst.FormattedString) and "\n" in file.code(part):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")
    around = file.parent(statement)
    around = file.parent(around) if isinstance(around, cst.IndentedBlock) else None
    if (outer := _stance_of(file, around)) is not None:
        return _under_both(file, around, outer, stance)
    torch = moving.name_of_torch(file, statement)
    indent = file.indent_of(statement)
    start, end = file.line_start(statement), file.line_end(file.span(statement)[1])
    lines = file.text[start:end].split("\n")
    body = "\n".join(f"{file.unit}{line}" if line.strip() else line for line in lines)
    head = f"{indent}with {torch}.compiler.set_stance({stance}):{file.newline}"
    return Replacement(file.name, start, end, head + body)


def _repeats(around: cst.CSTNode, stance: str) -> bool:
    """Return whether a list is made of calls that the stance may be another one for, or later."""
    if not isinstance(around, _AT_ONCE):
        return isinstance(around, _REPEATING)
    own: set[str] = set()
    part: Any = around.for_in
    while part is not None:
        own |= names_in(part.target)
        part = part.inner_for_in
    return bool(own & names_in(cst.parse_expression(stance)))


def _stance_of(file: SourceFile, around: Any) -> Any:
    """The stance that a ``with`` statement sets, and nothing else; None if it is none such."""
    if not isinstance(around, cst.With) or len(around.items) != 1:
        return None
    call: Any = around.items[0].item
    is_stance = isinstance(call, cst.Call) and file.names(call.func) == {_STANCE}
    return call.args[0].value if is_stance and len(call.args) == 1 else None


def _under_both(file: SourceFile, around: Any, outer: Any, stance: str) -> Replacement:
    """Let the ``with`` that is there ask for both: an inner one would be the only one that counts.

    Raises `RefusedError` unless both are compiled under a condition.
    """
    first, second = _CONDITION.fullmatch(file.code(outer)), _CONDITION.fullmatch(stance)
    if first is None or second is None:
        raise RefusedError(f"{file.place(around)} sets a stance already")
    start, end = file.line_start(around), file.line_end(file.span(around)[1])
    at, until = file.span(outer)
    text = file.text
    both = f'"default" if {first[1]} and {second[1]} else "force_eager"'
    return Replacement(file.name, start, end, text[start:at] + both + text[until:end])


def given_to_compile(program: EditableProgram) -> set[str]:
    """The names of the functions that are given to `torch.compile`, or decorated with it."""
    found = {
        last_name(call.args[0].value)
        for _, call in program.calls(_COMPILE)
        if call.args and call.args[0].keyword is None
    }
    for file in program.files.values():
        for function in file.all(cst.FunctionDef) if "compile" in file.text else ():
            for decorator in function.decorators:
                made = decorator.decorator
                named = made.func if isinstance(made, cst.Call) else made
                if file.names(named) == {_COMPILE}:
                    found.add(function.name.value)
    return found - {""}
