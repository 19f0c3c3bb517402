"""The name of torch in a file, imported if it is not yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.patching import moving
from ca_reports.patching.patches import RefusedError
from ca_reports.program.edits import import_module

if TYPE_CHECKING:
    import ast

    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import SourceFile


def torch(file: SourceFile, node: ast.AST) -> tuple[str, tuple[Replacement, ...]]:
    """Return the name of `torch` at ``node``, and the import that it needs, if any.

    Raises `RefusedError` where the name is taken.
    """
    try:
        return moving.name_of_torch(file, node), ()
    except RefusedError:
        if file.variable_at("torch", node).bound:
            raise
    return "torch", import_module(file, "torch")
