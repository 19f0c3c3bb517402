"""Decides whether a patch may have code run more often than it does now, less often, or once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching.patches import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.effects import Effect, EffectKind

# What a patch says where it leaves the training what it is, but for this.
_TOLD: Mapping[EffectKind, str] = {
    "draws": "draws its random numbers in every {}",
    "counts": "updates the running statistics of BatchNorm in every {}",
}


def require_repeatable(
    file: SourceFile, nodes: Iterable[ast.AST], program: EditableProgram, per: str = "step"
) -> list[str]:
    """Return what a patch has to say where ``nodes`` run in every step, or ``per`` what else.

    They draw random numbers, or their modules keep something of their inputs. Raises `RefusedError`
    where they, or what they call, change what stays, or call what the source does not show.
    """
    found = program.effects.of(file, nodes)
    for effect in found:
        if effect.kind == "leaves":
            raise RefusedError(f"{_place(effect)} changes what stays, and would run more often")
        if effect.kind == "unseen":
            raise RefusedError(f"can't tell what {_place(effect)} runs")
    kinds = {effect.kind for effect in found}
    return [words.format(per) for kind, words in _TOLD.items() if kind in kinds]


def require_pure(file: SourceFile, nodes: Iterable[ast.AST], program: EditableProgram) -> None:
    """Raise `RefusedError` unless ``nodes`` give the same whenever, and however often, they run."""
    for effect in program.effects.of(file, nodes):
        if effect.kind == "unseen":
            raise RefusedError(f"can't tell what {_place(effect)} runs")
        raise RefusedError(f"{_place(effect)} does more than make the same thing each time")


def _place(effect: Effect) -> str:
    return effect.at.module.place(effect.at.node)


def share(file: SourceFile, test: ast.expr) -> str:
    """Return 0 or 1 by a test, as code: ``if step % 3:`` is also taken at 2."""
    is_flag = isinstance(test, ast.Compare) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )
    return f"float({file.code(test)})" if is_flag else f"float(bool({file.code(test)}))"
