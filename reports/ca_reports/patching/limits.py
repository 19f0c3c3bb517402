"""Limits of recompiles: raised for a known number of versions, or started again for each model."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import compilers
from ca_reports.patching.editing import is_none
from ca_reports.patching.imports import torch as torch_of
from ca_reports.patching.options import setting
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import add_argument, append, insert_before
from ca_reports.program.syntax import LOOPS, Definition, keyword, last_name

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_LIMIT = "recompile_limit"
# Up to torch 2.5 it had the second name.
_LIMITS = (_LIMIT, "cache_size_limit")
# Each is compiled once, and those that a run has not come to yet, too.
_ENOUGH = 64
_NOTE = "each version is compiled once, and none runs uncompiled"


def raised(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Let one function have a compile for each of a number of versions that does not grow.

    Raises `RefusedError` where the program sets the limit itself.
    """
    for file in program.files.values():
        if any(_names_limit(node) for node in file.nodes):
            raise RefusedError(f"{file.name} sets {_LIMIT}: raise it there")
    limit = max(_ENOUGH, 2 * len(finding.events))
    return [setting(program, f"_dynamo.config.{_LIMIT} = {limit}", note=_NOTE)]


def of_compile(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Give compiled functions the limit that was set in another thread, which holds in none else.

    Raises `RefusedError` where none was.
    """
    reached = program.limit_of(finding)
    if reached is None or not reached.set_elsewhere:
        raise RefusedError("no limit is known that was set in another thread")
    return [_of_calls(reached.set_elsewhere, program)]


def _names_limit(node: ast.AST) -> bool:
    """Return whether a name, an argument or a text of the program is that of the limit."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.rpartition(".")[2] in _LIMITS
    name = node.arg if isinstance(node, ast.keyword) else last_name(node)
    return name in _LIMITS


def _of_calls(limit: int, program: EditableProgram) -> Patch:
    """Return the limit as an option of each compiled function, which holds in every thread."""
    changes: list[Replacement] = []
    places = []
    for file, call in compilers.calls(program):
        own = keyword(call, _LIMIT)
        if own is None or is_none(own):
            program.require_unchanged(file)
            changes += add_argument(file, call, f"{_LIMIT}={limit}")
            places.append(file.place(call))
    for file, _, decorator in program.decorated_with(compilers.COMPILE):
        if not isinstance(decorator, ast.Call):
            program.require_unchanged(file)
            changes += append(file, decorator, f"({_LIMIT}={limit})")
            places.append(file.place(decorator))
    if not changes:
        raise RefusedError("no torch.compile call is in the program's files")
    what = f"{_LIMIT}={limit} on torch.compile at {', '.join(dict.fromkeys(places))}"
    return Patch(what, tuple(changes), note=f"torch 2.13 and later; {_NOTE}")


def reset(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Forget what was compiled before the one function or loop that makes and compiles a model.

    Raises `RefusedError` unless the model is made there too, and nothing else is compiled: what is
    still in use would be compiled again.
    """
    found = compilers.calls(program)
    if len(found) != 1 or any(program.decorated_with(compilers.COMPILE)):
        raise RefusedError("can't find a single torch.compile call")
    file, call = found[0]
    statement = file.statement(call)
    if not file.is_line(statement):
        raise RefusedError(f"{file.place(statement)} is not alone on its line")
    model = _model(file, call)
    if not isinstance(model, ast.Call) and not _is_made_beside(file, statement, model):
        raise RefusedError(f"{file.place(call)} compiles what is made elsewhere")
    program.require_unchanged(file)
    torch, added = torch_of(file, statement)
    return [
        Patch(
            f"{torch}.compiler.reset() before {file.place(statement)}",
            (*added, *insert_before(file, statement, (f"{torch}.compiler.reset()",))),
            note="what was compiled before it is compiled again if it is called later",
        )
    ]


def _model(file: SourceFile, call: ast.Call) -> Any:
    """Return what is compiled: the argument, or the object of ``model.compile()``."""
    if compilers.COMPILE in file.names(call.func) and call.args:
        return call.args[0]
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _is_made_beside(file: SourceFile, statement: Any, model: Any) -> bool:
    """Return whether a line before, in the same block of a function or loop, makes ``model``."""
    around = file.parent(statement)
    if not isinstance(model, ast.Name) or not isinstance(around, (*LOOPS, Definition)):
        return False
    made = [
        one
        for one in file.block(statement)
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and any(file.code(target) == model.id for target in one.targets)
    ]
    return bool(made) and file.lines(made[-1])[0] <= file.lines(statement)[0]
