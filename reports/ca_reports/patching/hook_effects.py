"""CA301: what a hook does besides looking, for which it may not run in every step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching.editing import is_none
from ca_reports.program.positions import own_nodes, walk
from ca_reports.program.syntax import Definition, last_name
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile

# What makes a list longer, a file longer, or a page of a dashboard.
_KEEPING = frozenset(
    (
        *containers.PUTS_IN,
        *("put", "print", "write", "writelines", "writerow", "save", "dump"),
        *("add_scalar", "add_histogram", "log", "debug", "info", "warning", "observe"),
    )
)
_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# How deep what a hook calls is looked into.
_CALLS = 3


def why_not_always(file: SourceFile, statement: Any, program: EditableProgram) -> str:
    """Say why the hook that ``statement`` registers must not run in every step; else empty.

    It gives another gradient, or it keeps or tells what it gets, more of it with each step. One
    that only overwrites what it stored the last time may. Empty where the source does not show it.
    """
    for call in walk(statement):
        if not (isinstance(call, ast.Call) and call.args):
            continue
        if not last_name(call.func).startswith("register_"):
            continue
        for function in _functions(call.args[0], program):
            effect = _effect(function, program, _CALLS)
            if effect:
                return f"the hook at {file.place(statement)} {effect}: it would in every step"
    return ""


def _functions(given: Any, program: EditableProgram) -> Iterator[Any]:
    """Yield the functions that a hook may be: by its name, or made by a call, or written there."""
    if isinstance(given, ast.Lambda):
        yield given
        return
    is_call = isinstance(given, ast.Call)
    if is_call and last_name(given.func) == "partial" and given.args:
        yield from _functions(given.args[0], program)
        return
    name = last_name(given.func if is_call else given)
    found = [function for _, function in program.definitions_of(name)]
    if len(found) != 1:
        return
    if not is_call:
        yield found[0]
        return
    # What the call returns is made in there.
    for part in walk(*found[0].body):
        if isinstance(part, Definition | ast.Lambda):
            yield part


def _effect(function: Any, program: EditableProgram, calls: int) -> str:
    if isinstance(function, ast.Lambda):
        is_call = isinstance(function.body, ast.Call)
        kept = _of_calls([function], program, calls)
        return kept or ("" if is_call and _keeps(function.body) else "gives another gradient")
    own = _body(function)
    given = {one.arg for one in function.args.args}
    for part in own:
        returned: Any = part.value if isinstance(part, ast.Return) else None
        if returned is not None and not is_none(returned) and not _is_given(returned, given):
            return "gives another gradient"
        if isinstance(part, ast.AugAssign):
            return "adds to what it keeps"
    return _of_calls(own, program, calls)


def _of_calls(parts: list[Any], program: EditableProgram, calls: int) -> str:
    for part in parts:
        for call in walk(part) if isinstance(part, ast.Lambda) else (part,):
            if not isinstance(call, ast.Call):
                continue
            if _keeps(call):
                return "keeps or tells what it gets"
            if last_name(call.func).endswith("_") and not last_name(call.func).endswith("__"):
                return "changes what it gets in place"
            if calls and isinstance(call.func, ast.Name | ast.Attribute):
                for inner in _functions(call.func, program):
                    effect = _of_calls(_body(inner), program, calls - 1)
                    if effect:
                        return effect
    return ""


def _keeps(call: Any) -> bool:
    return last_name(call.func) in _KEEPING


def _is_given(value: Any, given: set[str]) -> bool:
    return isinstance(value, ast.Name) and value.id in given


def _body(function: Any) -> list[Any]:
    """The parts of a function that are not of one within it."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    return list(own_nodes(*body, apart=_APART))
