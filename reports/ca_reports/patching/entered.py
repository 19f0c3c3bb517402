"""CA112 of autocast: the one call outside of the block that the others are in, in it too."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import SharedSetting
from ca_reports.patching.compilers import compiled_names
from ca_reports.patching.editing import has_call
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program.edits import put_under
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, last_name
from ca_reports.torchlib import modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.syntax import With

_WHAT = "autocast"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Put the call under the `with` of the others: a warm-up, or a check before the training.

    Raises `RefusedError` unless the source shows one such block, and one such call.
    """
    setting = finding.detail
    if not isinstance(setting, SharedSetting) or setting.names != (_WHAT,):
        raise RefusedError("the setting is none that a block enters")
    blocks = [*_blocks(program)]
    if len(blocks) != 1:
        raise RefusedError("can't find a single block that enters autocast")
    ((file, block, entered),) = blocks
    calls = [one for name in sorted(compiled_names(program)) for one in program.calls_named(name)]
    outside = [one for one in calls if one[0] is not file or not file.is_within(one[1], block)]
    if len(outside) != 1 or len(outside) == len(calls):
        raise RefusedError("can't find a single call outside of autocast")
    other, call = outside[0]
    function, statement = other.function(call), other.statement(call)
    if other is not file or not file.is_line(statement) or not isinstance(function, Definition):
        raise RefusedError(f"{other.place(call)} is not a line that can go under a `with`")
    _require_apart(file, function, block)
    _require_known(file, entered, call)
    program.require_unchanged(file)
    code = file.code(entered)
    return [
        Patch(
            f"the call at {file.place(call)} under {_WHAT}, as those at {file.place(block)}",
            put_under(file, statement, f"with {code}:"),
            intention=f"computes {file.code(call)} at {file.place(call)} under autocast",
        )
    ]


def _blocks(program: EditableProgram) -> Iterator[tuple[SourceFile, With, ast.Call]]:
    for file in program.files.values():
        for block in file.with_blocks:
            for item in block.items:
                entered = item.context_expr
                if not isinstance(entered, ast.Call) or not file.names(entered.func):
                    continue
                if file.names(entered.func) <= {*modes.AUTOCAST_NAMES}:
                    yield file, block, entered


def _require_apart(file: SourceFile, function: Definition, block: With) -> None:
    """Raise `RefusedError` where the block may run the function, or that trains by itself."""
    called = {last_name(one.func) for one in walk(*block.body) if isinstance(one, ast.Call)}
    if function.name in called:
        raise RefusedError(f"{file.place(function)} is called under autocast as well")
    if has_call(function, "backward"):
        raise RefusedError(f"{file.place(function)} trains without autocast")


def _require_known(file: SourceFile, entered: ast.Call, call: ast.Call) -> None:
    """Raise `RefusedError` where what the block is entered with is not known at the call."""
    is_beside = file.class_around(entered) is file.class_around(call)
    for name in walk(entered):
        if not isinstance(name, ast.Name) or file.variable(name).is_global:
            continue
        if name.id != "self" or not is_beside or file.class_around(call) is None:
            raise RefusedError(f"{name.id} of {file.place(entered)} is not known at the call")
