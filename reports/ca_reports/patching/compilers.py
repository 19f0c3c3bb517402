"""Finds where a program compiles: by `torch.compile`, a `partial` of it, or in place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching.patches import RefusedError
from ca_reports.program.edits import arguments
from ca_reports.program.positions import children
from ca_reports.program.syntax import keyword, last_name, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile

COMPILE = "torch.compile"
# What a module's ``compile()`` takes, and a regular expression's does not.
_OPTIONS = ("backend", "dynamic", "fullgraph", "mode", "options")


def calls(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return the calls of `torch.compile`, of its `partial`, and of a module's ``compile()``."""
    return [*program.calls(COMPILE), *program.partials(COMPILE), *_in_place(program)]


def compiled_names(program: EditableProgram) -> set[str]:
    """Return the variables and attributes that hold what is compiled, also in place."""
    found = {last_name(owner) for _, call in _in_place(program) for owner in children(call.func)}
    for file, call in program.calls(COMPILE):
        found |= {last_name(target) for target in targets_of(file.statement(call))}
    return found - {""}


def _in_place(program: EditableProgram) -> Iterator[tuple[SourceFile, ast.Call]]:
    """Yield the calls of a module's ``compile()``, which gives nothing back."""
    for file, call in program.calls_named("compile"):
        if (
            isinstance(call.func, ast.Attribute)
            and isinstance(file.parent(call), ast.Expr)
            and not file.names(call.func)
            and all(one.star or one.keyword in _OPTIONS for one in arguments(call))
        ):
            yield file, call


def require_dynamic_not(program: EditableProgram, *refused: str) -> None:
    """Raise `RefusedError` where ``dynamic`` is given one of the values that are ``refused``."""
    for file, call in calls(program):
        given = keyword(call, "dynamic")
        if given is not None and (value := file.code(given)) in refused:
            raise RefusedError(f"the torch.compile at {file.place(call)} has dynamic={value}")
