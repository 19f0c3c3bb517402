"""CA101 to CA103 of a forward: the sizes that vary are marked before the call."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.facts.dynamic_shapes import input_name, of_one_size
from ca_reports.facts.guard_paths import verbatim
from ca_reports.patching import compilers, imports, loops, moving, sites, size_uses
from ca_reports.patching.editing import is_string
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.program.edits import insert_before
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.run.model import Compile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile

_UNBACKED = "decorators.mark_unbacked"
# What runs a call several times in one line, or later.
_OF_ITS_OWN = (*COMPREHENSIONS, ast.Lambda)


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return a line for each input that has the size, before the call. Raises `RefusedError`.

    Of two inputs that always have one size none is dynamic unless both are.
    """
    name, dimensions = finding.subject.source, finding.subject.dimensions
    compiles = _compiles(finding)
    compilers.require_dynamic_not(program, "False", "True")
    called = sites.compiled_at(name, compiles[0].location, compiles, program)
    if called.position(name) is None:
        if called.definition is None and not finding.subject.together:
            return [_of_a_library(name, dimensions, finding, program)]
        raise RefusedError(f"the function that takes {verbatim(name)} is not known")
    marked = {name: list(dimensions)}
    for source, index in (*finding.subject.together, *_of_one_size(finding, compiles, called)):
        if index not in marked.setdefault(source, []):
            marked[source].append(index)
    return [_at_calls(marked, "mark_dynamic", called, finding, program)]


def unbacked(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA103: one graph for 0, 1 and all other sizes. Raises `RefusedError`.

    Two inputs of one size would be taken for two sizes, which the code may not do. Where it decides
    by a size, each graph is split there, and compiled more often than before.
    """
    name, dimensions = finding.subject.source, finding.subject.dimensions
    compiles = _compiles(finding)
    if finding.subject.size_kind == "second_phase":
        raise RefusedError(
            "one compile more is by design: a text is read at once, then token by token"
        )
    compilers.require_dynamic_not(program, "False")
    called = sites.compiled_at(name, compiles[0].location, compiles, program)
    if called.position(name) is None or called.definition is None or called.file is None:
        raise RefusedError(f"the function that takes {verbatim(name)} is not known")
    at = size_uses.decided_at(called, program)
    if at:
        raise RefusedError(f"{at} decides by a size, which one graph for all of them does not know")
    # A compile for 0 or 1 has numbers, and no symbols: that two are one size the others tell.
    every = (*compiles, *program.compiles_in(called.file, called.definition))
    alike = [one for one, _ in _of_one_size(finding, every, called) if one != name]
    if alike:
        raise RefusedError(
            f"{verbatim(alike[0])} has the size of {verbatim(name)}, and would be taken for another"
        )
    marked = _at_calls({name: list(dimensions)}, _UNBACKED, called, finding, program)
    return [replace(marked, note="raises an error where the code decides by that size")]


def _compiles(finding: Finding) -> list[Compile]:
    """Return the compiles of the one function whose input varies. Raises `RefusedError`."""
    compiles = [event for event in finding.events if isinstance(event, Compile)]
    if not finding.subject.dimensions or not compiles or compiles[0].capture is not None:
        raise RefusedError("the input whose size varies is not known")
    if len({one.code_number for one in compiles}) > 1:
        raise RefusedError("what comes after a graph break does not know that the size varies")
    return compiles


def _at_calls(
    marked: Mapping[str, Sequence[int]],
    mark: str,
    called: sites.CompiledSite,
    finding: Finding,
    program: EditableProgram,
) -> Patch:
    """Return the patch that marks dimensions of arguments before each call."""
    changes: list[Replacement] = []
    tensors: list[tuple[str, str]] = []
    calls = _calls(next(iter(marked)), called, finding, program)
    for file, call in calls:
        statement = _line_of(file, call)
        program.require_unchanged(file)
        torch = moving.name_of_torch(file, statement)
        own = [(_tensor(file, call, one, called), at) for one, at in marked.items()]
        lines = [_marked(torch, tensor, at, mark) for tensor, at in own]
        tensors += [(file.name, tensor) for tensor, _ in own]
        changes += insert_before(file, statement, lines, below_comments=True)
    what = f"{' and '.join(lines)} before {places(calls)}"
    return Patch(what, tuple(dict.fromkeys(changes)), marks=tuple(dict.fromkeys(tensors)))


def _of_one_size(
    finding: Finding, compiles: Sequence[Compile], called: sites.CompiledSite
) -> Iterator[tuple[str, int]]:
    """Yield the arguments whose sizes Dynamo found to be that one, with the dimension.

    Such as the targets of a batch: a loss asks for as many as there are inputs.
    """
    names = {input_name(one): one for one in called.parameters}
    subject = finding.subject
    for name, index in of_one_size(subject.source, subject.dimensions, compiles):
        if name in names:
            yield names[name], index


def _of_a_library(
    name: str, dimensions: Sequence[int], finding: Finding, program: EditableProgram
) -> Patch:
    """Return the line before `model(x)` of a library's model, which is given nothing else."""
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    given = [
        (call, call.args[0])
        for call in found
        if file is not None
        and len(call.args) == 1
        and not call.keywords
        and isinstance(call.args[0], ast.Name | ast.Attribute)
        and not sites.is_torchs(file, call)
    ]
    if file is None or len(found) != 1 or len(given) != 1:
        raise RefusedError(f"can't find which variable is passed for {verbatim(name)}")
    ((call, argument),) = given
    statement = _line_of(file, call)
    program.require_unchanged(file)
    torch, added = imports.torch(file, statement)
    line = _marked(torch, file.code(argument), dimensions)
    return Patch(
        f"{line} before {file.place(call)}",
        (*added, *insert_before(file, statement, [line], below_comments=True)),
        marks=((file.name, file.code(argument)),),
    )


def _line_of(file: SourceFile, call: ast.Call) -> ast.stmt:
    """Return the line that ``call`` stands on. Raises `RefusedError` if it is run apart from it."""
    statement: ast.stmt = file.statement(call)
    if not file.is_line(statement) or any(
        isinstance(around, _OF_ITS_OWN) for around in file.around(call)
    ):
        raise RefusedError(f"the call at {file.place(call)} is part of a larger statement")
    return statement


def _marked(torch: str, tensor: str, dimensions: Sequence[int], mark: str = "mark_dynamic") -> str:
    sizes = dimensions[0] if len(dimensions) == 1 else tuple(dimensions)
    return f"{torch}._dynamo.{mark}({tensor}, {sizes})"


def _calls(
    name: str, called: sites.CompiledSite, finding: Finding, program: EditableProgram
) -> list[tuple[SourceFile, ast.Call]]:
    """Return calls that the recompiles came through, else the only one that the source shows."""
    every = sites.calls(called, program, name)
    frames = loops.frames(finding)
    found = [one for one in every if any(loops.is_at(frame, *one, program) for frame in frames)]
    if not found and len(every) != 1:
        raise RefusedError(f"can't find which variable is passed for {verbatim(name)}")
    return found or every


def _tensor(file: SourceFile, call: ast.Call, name: str, called: sites.CompiledSite) -> str:
    """Return what ``call`` passes: a variable, an attribute or an entry of a dict, alike each time.

    A part of a tensor would be another one each time. Raises `RefusedError` for anything else.
    """
    given = node = sites.argument(call, name, called)
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not _is_entry(node):
            break
        node = node.value
    if given is None or not isinstance(node, ast.Name):
        raise RefusedError(f"can't find which variable is passed for {verbatim(name)}")
    return file.code(given)


def _is_entry(node: ast.Subscript) -> bool:
    """Return whether ``node`` is ``batch["image"]``: an entry of a dict."""
    return is_string(node.slice)
