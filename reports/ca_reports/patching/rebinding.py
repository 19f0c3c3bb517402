"""Binds names to new tensors where tensors were changed in place.

A compiled backward may take the new value of a tensor that its forward changes in place for the old
one (pytorch#197039): with torch 2.13.0 the gradients of a loss that a counter scales are off by a
factor of up to two.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import choices, loops
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import operand
from ca_reports.program.positions import walk

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA615: ``self.x += 1``, a change of the tensor that is there, as ``self.x = self.x + 1``."""
    file, found = loops.nodes_at(finding.location, program, ast.AugAssign)
    if file is None or len(found) != 1 or not isinstance(found[0].target, ast.Attribute):
        raise RefusedError("the line changes the tensor otherwise than by `+=` of an attribute")
    program.require_unchanged(file)
    target = file.code(found[0].target)
    return [
        Patch(
            f"{target} set to a new tensor at {file.place(found[0])}",
            tuple(rebound(file, found[0])),
            intention="computes the gradients of eager's backward, which are others",
            note=f"what else holds the tensor of {target} keeps the old one",
        )
    ]


def rebound(file: SourceFile, one: ast.AugAssign) -> list[Replacement]:
    """Write ``x += 1`` as ``x = x + 1``.

    Raises `RefusedError` where the target would be worked out twice.
    """
    if any(isinstance(part, ast.Call) for part in walk(one.target)):
        raise RefusedError(f"{file.code(one.target)} at {file.place(one)} is worked out by a call")
    begin, value = file.span(one.target)[1], file.whole(one.value)
    text = f" = {file.code(one.target)} {choices.operator_of(file, one)} "
    is_whole = value != file.span(one.value) or operand(file, one.value) == file.code(one.value)
    if is_whole:
        return [Replacement(file.name, begin, value[0], text)]
    return [
        Replacement(file.name, begin, value[0], f"{text}("),
        Replacement(file.name, value[1], value[1], ")"),
    ]
