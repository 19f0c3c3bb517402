"""CA101 and CA102 of a forward: `mark_dynamic` of the sizes that vary, before the call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import moving
from ca_reports.fixes.editing import keyword, positional
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.model import Compile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.stack import Frame

_NAME = r"(?P<name>[A-Za-z_]\w{0,99}(?:\[\d{1,4}\])?)"
_IN_KEY = re.compile(_NAME + r"(?P<dimensions>(?: \d{1,3}){1,20})")
_IN_MESSAGE = re.compile(r"\(dimension (?P<dimensions>\d{1,3}) of `" + _NAME + r"`\)")
_OF_CALL = re.compile(r"args\[(\d+)\]")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """A line before the call of the compiled function. Raises `RefusedError`."""
    found = _IN_KEY.fullmatch(finding.key) or _IN_MESSAGE.search(finding.message)
    compiles = [event for event in finding.events if isinstance(event, Compile)]
    if found is None or not compiles or compiles[0].capture is not None:
        raise RefusedError("the input whose size varies is not known")
    frames_compiled = {str(one.compile_id).partition("/")[0] for one in compiles}
    if len(frames_compiled) > 1:
        raise RefusedError("what comes after a graph break does not know that the size varies")
    _require_dynamic_allowed(program)
    name = found["name"]
    frames = [frame for frame in compiles[0].stack if program.file(frame) is not None]
    by_number = _OF_CALL.fullmatch(name)
    if by_number is not None:
        number = int(by_number[1])
    else:
        number = _position(name, compiles[0].location, program)
        frames = frames[:-1]
    file, argument = _argument(name, number, frames, program)
    statement = file.statement(argument)
    if not isinstance(statement, cst.SimpleStatementLine):
        raise RefusedError(f"the call at {file.place(argument)} is part of a larger statement")
    program.require_unchanged(file)
    torch = moving.name_of_torch(file, statement)
    dimensions = found["dimensions"].split()
    given = dimensions[0] if len(dimensions) == 1 else f"({', '.join(dimensions)})"
    line = f"{torch}._dynamo.mark_dynamic({argument.value}, {given})"
    at = file.line_start(statement)
    text = f"{file.indent_of(statement)}{line}{file.newline}"
    return [Patch(f"{line} before {file.place(argument)}", (Replacement(file.name, at, at, text),))]


def _require_dynamic_allowed(program: EditableProgram) -> None:
    for file, call in program.calls("torch.compile"):
        given = keyword(call, "dynamic")
        if given is not None and file.code(given.value) in ("False", "True"):
            value = file.code(given.value)
            raise RefusedError(f"the torch.compile at {file.place(call)} has dynamic={value}")


def _position(name: str, location: Frame | None, program: EditableProgram) -> int:
    """Return which argument the parameter ``name`` of the function at ``location`` is."""
    file = program.file(location)
    if file is None or location is None:
        raise RefusedError(f"the function that takes {name} is not known")
    around = [
        node
        for node in file.all(cst.FunctionDef)
        if file.lines(node)[0] <= location.line <= file.lines(node)[1]
    ]
    every = [one.name.value for one in around[-1].params.params] if around else []
    names = every[1:] if every[:1] == ["self"] else every
    if name not in names:
        raise RefusedError(f"the function that takes {name} is not known")
    return names.index(name)


def _argument(
    name: str, number: int, frames: Sequence[Frame], program: EditableProgram
) -> tuple[SourceFile, cst.Name]:
    """The variable that is passed, where the compiled function is called."""
    file = program.file(frames[-1]) if frames else None
    if file is None:
        raise RefusedError("the call of the compiled function is not known")
    found: list[cst.Name] = []
    for call in file.all(cst.Call):
        first, last = file.lines(call)
        names = file.names(call.func)
        if not first <= frames[-1].line <= last or any(
            one.startswith(("torch.", "builtins.")) for one in names
        ):
            continue
        in_order = positional(call)
        given = keyword(call, name) or (in_order[number] if number < len(in_order) else None)
        if given is not None and isinstance(given.value, cst.Name):
            found.append(given.value)
    if len(found) != 1:
        raise RefusedError(f"the line does not show which variable is passed for {name}")
    return file, found[0]
