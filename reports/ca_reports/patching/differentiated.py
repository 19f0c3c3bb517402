"""CA603: the forward whose gradient is differentiated runs uncompiled."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import loops
from ca_reports.patching.editing import is_true, only_target
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.stances import under_stance
from ca_reports.program.positions import walk
from ca_reports.program.syntax import keyword

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_GRAD = "torch.autograd.grad"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Put what computes the tensor that is differentiated twice under ``force_eager``.

    Raises `RefusedError` unless one line computes it.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    twice = [one for one in found if is_true(keyword(one, "create_graph"))]
    if file is None or len(twice) != 1:
        raise RefusedError("the gradient that is differentiated is not known")
    forward = _forward(file, twice[0])
    program.require_unchanged(file)
    return [
        Patch(
            f"{file.place(forward)} runs uncompiled",
            (under_stance(file, forward, '"force_eager"', program),),
            note="its backward cannot be differentiated when it is compiled; other calls stay so",
        )
    ]


def _forward(file: SourceFile, gradient: ast.Call) -> ast.expr:
    """Return the expression that calls the forward: the root itself, or what its variable gets."""
    root: ast.expr | None = None
    if file.names(gradient.func) == {_GRAD}:
        root = gradient.args[0] if gradient.args else keyword(gradient, "outputs")
    elif isinstance(gradient.func, ast.Attribute):
        root = gradient.func.value
    seen = set[str]()
    while isinstance(root, ast.Name) and root.id not in seen:
        seen.add(root.id)
        root = _last_value(file, gradient, root.id)
    # Only the loss is computed of it here: `loss = score.sum()`.
    while isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute):
        inner = root.func.value
        if isinstance(inner, ast.Name) and (value := _last_value(file, gradient, inner.id)):
            root = value
        elif isinstance(inner, ast.Call):
            root = inner
        else:
            break
    if root is None or not any(isinstance(one, ast.Call) for one in walk(root)):
        raise RefusedError(f"can't find what computes the gradient at {file.place(gradient)}")
    return root


def _last_value(file: SourceFile, before: ast.AST, name: str) -> ast.expr | None:
    """Return what a variable was last assigned in the block of ``before``; None if not shown."""
    line = file.lines(before)[0]
    found: ast.expr | None = None
    for statement in file.block(file.statement(before)):
        if file.lines(statement)[0] >= line:
            break
        target = only_target(statement)
        if isinstance(target, ast.Name) and target.id == name:
            found = statement.value
    return found
