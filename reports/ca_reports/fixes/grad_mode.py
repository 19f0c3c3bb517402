"""CA112 of grad mode: gradients that are kept in every call of one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.fixes import loops
from ca_reports.fixes.editing import keyword, with_keyword
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import places

if TYPE_CHECKING:
    import libcst as cst

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

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
    changes = []
    for file, call in found:
        program.require_unchanged(file)
        changes.append(_kept(file, call))
    return [
        Patch(
            f"use_reentrant=False at {places(found)}",
            tuple(changes),
        )
    ]


def _kept(file: SourceFile, call: cst.Call) -> Replacement:
    """The keyword, which no argument behind one ``*`` can be."""
    given = keyword(call, "use_reentrant")
    if given is not None:
        return Replacement(file.name, *file.span(given.value), "False")
    if any(one.star == "**" for one in call.args) or not any(one.star for one in call.args):
        return with_keyword(file, call, "use_reentrant", "False")
    end = file.span(call.args[-1].value)[1]
    return Replacement(file.name, end, end, ", use_reentrant=False")
