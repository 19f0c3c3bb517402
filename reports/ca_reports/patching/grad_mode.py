"""CA112 of grad mode: gradients that are kept in every call of one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.patching import loops
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.program.edits import add_argument, add_keyword, arguments, replace
from ca_reports.program.syntax import keyword

if TYPE_CHECKING:
    import ast

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits, Replacement

_CHECKPOINT = "torch.utils.checkpoint.checkpoint"
_CHECKPOINTS = (_CHECKPOINT, f"{_CHECKPOINT}_sequential")


def not_reentrant(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``use_reentrant=False`` in the checkpoint that runs a block in both grad modes.

    In the call on the finding's line, else in each call of the program. Raises `RefusedError` where
    there is none.
    """
    every = program.calls(*_CHECKPOINTS)
    found = [one for one in every if loops.is_at(finding.location, *one, program)] or every
    if not found:
        raise RefusedError("no call of checkpoint is in the program's files")
    changes: list[Replacement] = []
    for file, call in found:
        program.require_unchanged(file)
        changes += _kept(file, call)
    return [
        Patch(
            f"use_reentrant=False at {places(found)}",
            tuple(changes),
        )
    ]


def _kept(file: SourceFile, call: ast.Call) -> Edits:
    """The keyword, which no argument behind one ``*`` can be."""
    given = keyword(call, "use_reentrant")
    if given is not None:
        return replace(file, given, "False")
    stars = {one.star for one in arguments(call)}
    if stars == {"", "*"} or stars == {"*"}:
        return add_argument(file, call, "use_reentrant=False")
    return add_keyword(file, call, "use_reentrant", "False")
