"""Runs a statement under another stance of the compiler."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import moving
from ca_reports.patching.compilers import COMPILE
from ca_reports.patching.patches import RefusedError, Replacement
from ca_reports.program.edits import put_under, words_in
from ca_reports.program.positions import walk
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import Definition, With, last_name

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram, SourceFile

_STANCE = "torch.compiler.set_stance"
# Stances under which calls are compiled while something holds.
_COMPILED, _EAGER = "default", "force_eager"
# What runs a call several times in one line, or later: what it gets is not known outside.
_REPEATING = (*COMPREHENSIONS, ast.Lambda)
_AT_ONCE = (ast.ListComp, ast.SetComp, ast.DictComp)


def under_stance(
    file: SourceFile, call: ast.AST, stance: str, program: EditableProgram
) -> Replacement:
    """Put the statement of ``call`` in a ``with torch.compiler.set_stance(…)``.

    ``stance`` is an expression. Raises `RefusedError` unless the statement is one line of code
    that may be indented, and ``stance`` is the same for each time that it runs ``call``.
    """
    statement: Any = file.statement(call)
    if not file.is_line(statement):
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    function = file.function(call)
    if isinstance(function, Definition) and (
        function.name in given_to_compile(program) or program.is_compiled(file, function)
    ):
        raise RefusedError(f"{file.place(call)} is compiled itself: no stance can be set there")
    if any(_repeats(around, stance) for around in file.around(call)):
        raise RefusedError(f"{file.place(call)} is run several times in one line")
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in walk(statement)):
        raise RefusedError(f"{file.place(statement)} yields: run it uncompiled by hand")
    outer = _stance_of(file, file.parent(statement))
    if outer is not None:
        return _under_both(file, file.parent(statement), outer, stance)
    torch = moving.name_of_torch(file, statement)
    (under,) = put_under(file, statement, f"with {torch}.compiler.set_stance({stance}):")
    return under


def _repeats(around: ast.AST, stance: str) -> bool:
    """Return whether a list is made of calls that the stance may be another one for, or later."""
    if not isinstance(around, _AT_ONCE):
        return isinstance(around, _REPEATING)
    own = {name for part in around.generators for name in words_in(part.target)}
    return bool(own & words_in(ast.parse(stance, mode="eval")))


def _stance_of(file: SourceFile, around: Any) -> Any:
    """Find the stance that a ``with`` statement sets, and nothing else; None if it is none such."""
    if not isinstance(around, With) or len(around.items) != 1:
        return None
    call = around.items[0].context_expr
    if not isinstance(call, ast.Call) or file.names(call.func) != {_STANCE}:
        return None
    return call.args[0] if len(call.args) == 1 and not call.keywords else None


def _under_both(file: SourceFile, around: Any, outer: Any, stance: str) -> Replacement:
    """Let the ``with`` that is there ask for both: an inner one would be the only one that counts.

    Raises `RefusedError` unless both are compiled under a condition.
    """
    first, second = _condition(outer), _condition(ast.parse(stance, mode="eval").body)
    if first is None or second is None:
        raise RefusedError(f"{file.place(around)} sets a stance already")
    start, end = file.line_start(around), file.line_end(file.span(around)[1])
    at, until = file.span(outer)
    text = file.text
    asked = f"{file.code(first)} and {ast.get_source_segment(stance, second)}"
    both = f'"{_COMPILED}" if {asked} else "{_EAGER}"'
    return Replacement(file.name, start, end, text[start:at] + both + text[until:end])


def _condition(stance: ast.expr) -> ast.expr | None:
    """Return ``x`` of ``"default" if x else "force_eager"``, where it can stand beside an `and`."""
    if not isinstance(stance, ast.IfExp):
        return None
    sides = stance.body, stance.orelse
    values = [side.value for side in sides if isinstance(side, ast.Constant)]
    is_choice = isinstance(stance.test, ast.IfExp | ast.Lambda | ast.NamedExpr)
    is_or = isinstance(stance.test, ast.BoolOp) and isinstance(stance.test.op, ast.Or)
    return stance.test if values == [_COMPILED, _EAGER] and not is_choice and not is_or else None


def given_to_compile(program: EditableProgram) -> set[str]:
    """Return the names of the functions that are given to `torch.compile`, or decorated with it."""
    found = {last_name(call.args[0]) for _, call in program.calls(COMPILE) if call.args}
    found |= {function.name for _, function, _ in program.decorated_with(COMPILE)}
    return found - {""}
