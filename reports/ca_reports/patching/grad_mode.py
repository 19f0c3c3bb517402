"""CA112 of grad mode: gradients that are kept in every call of one step, or in none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import loops
from ca_reports.patching.moving import statement_to_move
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.program.edits import (
    add_argument,
    add_keyword,
    arguments,
    import_module,
    put_under,
    replace,
)
from ca_reports.program.syntax import keyword

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding, SharedSetting
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits, Replacement

_CHECKPOINT = "torch.utils.checkpoint.checkpoint"
_CHECKPOINTS = (_CHECKPOINT, f"{_CHECKPOINT}_sequential")


def not_reentrant(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``use_reentrant=False`` in the checkpoint that runs a block in both grad modes.

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


def not_kept(finding: Finding, setting: SharedSetting, program: EditableProgram) -> list[Patch]:
    """Put a call whose gradients nobody takes under the mode that the other calls are in.

    Inference mode makes tensors that nothing outside of it may change in place: only a call whose
    result is dropped, as in a warm-up, is put under it. Raises `RefusedError` for others, and where
    the mode was not recorded.
    """
    if not setting.names:
        raise RefusedError("which mode the other calls are in is not in this recording")
    (mode,) = setting.names
    file, statement = statement_to_move(finding, program)
    program.require_unchanged(file)
    is_dropped = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    is_bound = isinstance(statement, ast.Assign) and mode == "no_grad"
    if not (is_dropped or is_bound):
        raise RefusedError(f"what the call at {file.place(statement)} returns is used further on")
    changes = (*put_under(file, statement, f"with torch.{mode}():"), *import_module(file, "torch"))
    return [
        Patch(
            f"torch.{mode}() around the call at {file.place(statement)}",
            changes,
            intention="keeps no gradients there, which no backward takes",
        )
    ]


def _kept(file: SourceFile, call: ast.Call) -> Edits:
    """Return the keyword, which no argument behind one ``*`` can be."""
    given = keyword(call, "use_reentrant")
    if given is not None:
        return replace(file, given, "False")
    stars = {one.star for one in arguments(call)}
    if stars == {"", "*"} or stars == {"*"}:
        return add_argument(file, call, "use_reentrant=False")
    return add_keyword(file, call, "use_reentrant", "False")
