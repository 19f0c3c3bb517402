"""Where compiled code needs a size as a number: a size that has none yet can't be given to it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.program.edits import words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import last_name
from ca_reports.program.tensors import compares_tensors
from ca_reports.torchlib.modules import CALLED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.patching.sites import CompiledSite
    from ca_reports.program.syntax import Definition

_SIZES = ("shape", "size", "numel")


def decided_at(called: CompiledSite, program: EditableProgram) -> str:
    """Return where the compiled code cuts, counts or branches by a size; empty if nowhere."""
    for file, function in _reached(called, program):
        found = _decided_in(file, function)
        if found is not None:
            return file.place(found)
    return ""


def _decided_in(file: SourceFile, function: Definition) -> ast.AST | None:
    sizes: set[str] = set()
    for node in walk(*function.body):
        if isinstance(node, ast.Assign) and _is_of_size(node.value, sizes):
            for target in node.targets:
                sizes |= words_in(target)
        asked: tuple[Any, ...] = ()
        if isinstance(node, ast.Slice):
            asked = (node.lower, node.upper, node.step)
        elif isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            asked = (node.test,)
        elif isinstance(node, ast.Compare) and not compares_tensors(file, node):
            asked = (node.left, *node.comparators)  # such as `is_causal=n > 1`
        elif isinstance(node, ast.Call) and last_name(node.func) == "range":
            asked = tuple(node.args)
        if any(one is not None and _is_of_size(one, sizes) for one in asked):
            return node
    return None


def _is_of_size(value: ast.AST, sizes: set[str]) -> bool:
    return any(
        (isinstance(one, ast.Name) and one.id in sizes)
        or (isinstance(one, ast.Attribute) and one.attr in _SIZES)
        or (isinstance(one, ast.Call) and last_name(one.func) == "len")
        for one in walk(value)
    )


def _reached(
    called: CompiledSite, program: EditableProgram
) -> Iterator[tuple[SourceFile, Definition]]:
    """Yield the compiled function and those it may call: of a module, any ``forward``."""
    if called.file is None or called.definition is None:
        return
    seen = {called.definition}
    waiting = [(called.file, called.definition)]
    while waiting:
        file, function = waiting.pop()
        yield file, function
        for call in walk(*function.body):
            if not isinstance(call, ast.Call):
                continue
            found = list(program.definitions_of(last_name(call.func)))
            if not found and isinstance(call.func, ast.Attribute):
                found = [one for name in CALLED for one in program.definitions_of(name)]
            fresh = [one for one in found if one[1] not in seen]
            seen |= {one for _, one in fresh}
            waiting += fresh
