"""CA804 of a clock: it is not asked where Dynamo traces."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import imports, loops
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import arguments

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_OF_TIME = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_ZEROS = {
    **{f"time.{name}": "0.0" for name in _OF_TIME},
    **{f"time.{name}_ns": "0" for name in _OF_TIME},
}


def zero(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Write ``0.0 if torch.compiler.is_compiling() else perf_counter()`` for each of a function.

    Raises `RefusedError` if no clock is asked on the line.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    asked = [call for call in found if file is not None and _zero_of(file, call)]
    if file is None or not asked:
        raise RefusedError("no clock is asked on the line")
    program.require_unchanged(file)
    function = file.function(asked[0])
    torch, added = imports.torch(file, asked[0])
    every = [
        call
        for call in file.all(ast.Call)
        if _zero_of(file, call) and file.function(call) is function
    ]
    changes = [
        Replacement(
            file.name,
            *file.span(call),
            _whole(
                file,
                call,
                f"{_zero_of(file, call)} if {torch}.compiler.is_compiling() else {file.code(call)}",
            ),
        )
        for call in every
    ]
    where = places([(file, call) for call in every])
    return [
        Patch(
            f"the clock at {where} is 0 where Dynamo traces",
            (*added, *changes),
            intention="makes times that compiled code takes 0: take them where it is called",
        )
    ]


def _zero_of(file: SourceFile, call: ast.Call) -> str:
    """Return what the clock says where nothing is timed; empty if it is none."""
    names = file.names(call.func)
    return _ZEROS.get(next(iter(names)), "") if len(names) == 1 and not arguments(call) else ""


def _whole(file: SourceFile, call: ast.Call, text: str) -> str:
    """Return ``text`` as it may stand in the place of ``call``."""
    is_alone = isinstance(file.parent(call), ast.Assign | ast.AnnAssign | ast.AugAssign)
    return text if is_alone or file.call_given(call) is not None else f"({text})"
