"""CA111: a tensor is laid out alike in every call."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import OtherLayout
from ca_reports.facts.guard_paths import guard_path, verbatim
from ca_reports.patching import conditions, loops, moving, sites, writes
from ca_reports.patching.editing import is_string
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError
from ca_reports.program.edits import append, words_in
from ca_reports.program.positions import walk
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import is_text, last_name
from ca_reports.run.model import Compile
from ca_reports.torchlib import shapes
from ca_reports.words.numbers import agreeing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_WORDS = {".clone()": "copied", ".contiguous()": "contiguous"}
# An entry of a dict: `batch['image']`.


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA111: the change of layout goes, or an argument is contiguous in every call."""
    compiles = program.compiles_of(finding.events)
    name = finding.subject.source
    if isinstance(finding.detail, OtherLayout) and finding.detail.is_of_one and compiles:
        return [_of_one(name, compiles, finding, program)]
    try:
        return conditions.layout(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        view = _view(finding, program)
        if view is not None:
            return [view]
        if not compiles or compiles[0].capture is not None or not name:
            raise
        entry = _entry(name, _method(finding), program)
        if entry is not None:
            return [entry]
    found = _passed(name, compiles, finding, program)
    method = _method(finding)
    return [
        Patch(
            f"{verbatim(name)} {_WORDS[method]} where it is passed",
            tuple(one for file, argument in found for one in append(file, argument, method)),
            note=_note(name, method),
        )
    ]


def _passed(
    name: str, compiles: Sequence[Compile], finding: Finding, program: EditableProgram
) -> list[tuple[SourceFile, ast.expr]]:
    """Return what is passed for an argument that is only read. Raises `RefusedError`."""
    compiled = sites.compiled_at(name, compiles[0].location, compiles, program)
    try:
        found = sites.arguments(name, compiled, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        found = _of_line(name, compiled, finding, program)
        if not found:
            raise
    writes.require_only_read(name, compiled, program)
    return found


def _of_one(
    name: str, compiles: Sequence[Compile], finding: Finding, program: EditableProgram
) -> Patch:
    """Copy an argument where it is passed: `.contiguous()` leaves the stride of a size of 1."""
    if compiles[0].capture is not None:
        raise RefusedError("the stride is that of a size of 1, which no line shows")
    changes = [
        append(
            file,
            argument,
            f".clone(memory_format={moving.name_of_torch(file, argument)}.contiguous_format)",
        )
        for file, argument in _passed(name, compiles, finding, program)
    ]
    return Patch(
        f"{verbatim(name)} copied where it is passed",
        tuple(chain.from_iterable(changes)),
        note=_note(name, ".clone()"),
    )


def _method(finding: Finding) -> str:
    """Return what lays it out alike: a part of a larger tensor may be contiguous, and is copied."""
    detail = finding.detail
    is_copied = isinstance(detail, OtherLayout) and detail.begins_elsewhere
    return ".clone()" if is_copied else ".contiguous()"


def _note(name: str, method: str) -> str:
    when = "in every call" if method == ".clone()" else "where it is laid out otherwise"
    return f"copies {verbatim(name)} {when}"


def _view(finding: Finding, program: EditableProgram) -> Patch | None:
    """Return ``.contiguous()`` on the views of the line, of which one is laid out otherwise."""
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    views = _views(file, found) if file is not None else []
    if file is None or not views:
        return None
    program.require_unchanged(file)
    return _laid_out(file, views)


def _views(file: SourceFile, found: list[ast.Call]) -> list[ast.Call]:
    """Return those of the calls that give a view which is kept as it is."""
    return [
        call
        for call in found
        if last_name(call.func) in shapes.STRIDED and not getattr(file.parent(call), "attr", None)
    ]


def _laid_out(file: SourceFile, views: list[ast.Call]) -> Patch:
    codes = " and ".join(f"{file.code(one)}.contiguous()" for one in views)
    return Patch(
        f"{codes} at {file.place(views[0])}",
        tuple(each for one in views for each in append(file, one, ".contiguous()")),
        note=f"copies {agreeing(len(views), 'the tensor', 'the tensors')}",
    )


def _entry(name: str, method: str, program: EditableProgram) -> Patch | None:
    """Return ``method`` on the entry ``name`` of a dict, where the one that has such a key is made.

    None unless ``name`` is an entry of a dict, and one place of the program gives that key a value.
    """
    path = guard_path(name)
    key = path.entry
    if not key or any(step.kind != "attribute" for step in path.holder.steps):
        return None
    found: list[tuple[SourceFile, Any]] = []
    for file in program.files.values():
        if key in file.text:
            found += [(file, value) for value in _values_of(file, key)]
    no_tensor = (ast.Dict, ast.List, ast.JoinedStr, *COMPREHENSIONS)
    if len(found) != 1 or isinstance(found[0][1], no_tensor) or is_string(found[0][1]):
        return None
    file, value = found[0]
    program.require_unchanged(file)
    views = _of_variable(file, value) if isinstance(value, ast.Name) else []
    if views:
        return _laid_out(file, views)
    return Patch(
        f"{verbatim(name)} {_WORDS[method]} where it is made, at {file.place(value)}",
        append(file, value, method),
        note=_note(name, method),
    )


def _of_variable(file: SourceFile, name: ast.Name) -> list[ast.Call]:
    """Return the views on the one line of its function that makes a variable of a view."""
    function = file.function(name)
    lines = [
        views
        for node in file.all(ast.Assign)
        if file.function(node) is function
        and any(name.id in words_in(one) for one in node.targets)
        and (views := _views(file, [one for one in walk(node) if isinstance(one, ast.Call)]))
    ]
    return lines[0] if len(lines) == 1 else []


def _values_of(file: SourceFile, key: str) -> Iterator[ast.expr]:
    """Yield what a dict gets for ``key``: ``{"key": x}``, ``dict(key=x)``, ``d["key"] = x``."""
    for node in file.nodes:
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from (value for name, value in pairs if is_text(name, key))
        elif isinstance(node, ast.Call) and file.names(node.func) == {"builtins.dict"}:
            yield from (one.value for one in node.keywords if one.arg == key)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and is_text(target.slice, key):
                    yield node.value


def _of_line(
    name: str, compiled: sites.CompiledSite, finding: Finding, program: EditableProgram
) -> list[tuple[SourceFile, ast.expr]]:
    """Return what the call on the finding's line passes, if that brought all its recompiles."""
    line = finding.location
    events = [one for one in finding.events if isinstance(one, Compile)]
    came = [sites.site_of(one, compiled, program) for one in events]
    if line is None or not all(one is not None and one.line == line.line for one in came):
        return []
    given = [
        (file, value)
        for file, call in sites.calls(compiled, program, name)
        if loops.is_at(line, file, call, program)
        and (value := sites.argument(call, name, compiled)) is not None
    ]
    for file, _ in given:
        program.require_unchanged(file)
    return given if events else []
