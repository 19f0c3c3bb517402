"""CA101 and CA102 of a forward: `mark_dynamic` of the sizes that vary, before the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import loops, moving, sites
from ca_reports.fixes.editing import keyword
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.model import Compile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.stack import Frame


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """A line for each input that has the size, before the call. Raises `RefusedError`.

    Of two inputs that always have one size none is dynamic unless both are.
    """
    name, dimensions = finding.subject.source, finding.subject.dimensions
    compiles = [event for event in finding.events if isinstance(event, Compile)]
    if not dimensions or not compiles or compiles[0].capture is not None:
        raise RefusedError("the input whose size varies is not known")
    frames_compiled = {str(one.compile_id).partition("/")[0] for one in compiles}
    if len(frames_compiled) > 1:
        raise RefusedError("what comes after a graph break does not know that the size varies")
    _require_dynamic_allowed(program)
    frames = [frame for frame in compiles[0].stack if program.file(frame) is not None]
    called = sites.compiled_at(name, compiles[0].location, compiles, program)
    if called.position(name) is None:
        raise RefusedError(f"the function that takes {name} is not known")
    if called.definition is not None:
        frames = frames[:-1]
    marked = {name: list(dimensions)}
    for source, index in finding.subject.together:
        marked.setdefault(source, []).append(index)
    passed = [(_argument(one, called, frames, program), marked[one]) for one in marked]
    (file, first), _ = passed[0]
    statement = file.statement(first)
    if not isinstance(statement, cst.SimpleStatementLine):
        raise RefusedError(f"the call at {file.place(first)} is part of a larger statement")
    program.require_unchanged(file)
    torch = moving.name_of_torch(file, statement)
    lines = [
        f"{torch}._dynamo.mark_dynamic({one.value}, {at[0] if len(at) == 1 else tuple(at)})"
        for (_, one), at in passed
    ]
    at = file.line_start(statement)
    text = "".join(f"{file.indent_of(statement)}{line}{file.newline}" for line in lines)
    what = f"{' and '.join(lines)} before {file.place(first)}"
    return [Patch(what, (Replacement(file.name, at, at, text),))]


def _require_dynamic_allowed(program: EditableProgram) -> None:
    for file, call in program.calls("torch.compile"):
        given = keyword(call, "dynamic")
        if given is not None and file.code(given.value) in ("False", "True"):
            value = file.code(given.value)
            raise RefusedError(f"the torch.compile at {file.place(call)} has dynamic={value}")


def _argument(
    name: str, called: sites.Compiled, frames: Sequence[Frame], program: EditableProgram
) -> tuple[SourceFile, cst.Name]:
    """The variable that is passed, where the compiled function is called."""
    file = program.file(frames[-1]) if frames else None
    if file is None:
        raise RefusedError("the call of the compiled function is not known")
    given = [
        sites.argument(call, name, called)
        for call in loops.nodes_at(frames[-1], program, cst.Call)[1]
        if not sites.is_torchs(file, call)
    ]
    found = [one for one in given if isinstance(one, cst.Name)]
    if len(found) != 1:
        raise RefusedError(f"the line does not show which variable is passed for {name}")
    return file, found[0]
