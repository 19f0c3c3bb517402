"""Finds the one place where a value is written, for patches that edit it there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from ca_reports.patching.patches import RefusedError
from ca_reports.program.options import OptionOrigins
from ca_reports.program.syntax import Site

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram, SourceFile

# How many times a value is handed on before it is given up.
_STEPS = 8
# More places than this help nobody.
_MOST_TOLD = 4

Written = tuple["SourceFile", Any]


def written(file: SourceFile, node: Any, program: EditableProgram, steps: int = _STEPS) -> Written:
    """Return the one expression that ``node`` has its value from, with its file.

    Raises `RefusedError` where the value may come from several places, or from none that is seen.
    """
    found = sources(file, node, program)
    if found is None:
        return file, node
    if len(found) != 1 or not steps:
        if not found:
            raise RefusedError(_set_unseen(file, node))
        where = f"{file.code(node)} at {file.place(node)}"
        raise RefusedError(f"{where} may come from {_places(found)}")
    return written(*found[0], program, steps - 1)


def given(
    call: ast.Call, file: SourceFile, name: str, position: int | None, program: EditableProgram
) -> Written | None:
    """Return where what ``call`` takes for ``name`` is written; None if it is left to its default.

    By position, by name, or from options (``**``). Raises `RefusedError` where it may come from
    several places, or from options that the source does not show.
    """
    settings = OptionOrigins(program.origins).of(Site(file, call), name, position)
    found = [_of(one.site) for one in settings]
    for one, (other, node) in zip(settings, found, strict=True):
        if one.is_hidden:
            raise RefusedError(_set_unseen(other, node))
    if len(found) > 1:
        raise RefusedError(f"{name} at {file.place(call)} may come from {_places(found)}")
    if not found and any(isinstance(one, ast.Starred) for one in call.args):
        raise RefusedError(f"the call at {file.place(call)} takes * of a list")
    return found[0] if found else None


def sources(file: SourceFile, node: Any, program: EditableProgram) -> list[Written] | None:
    """Return where ``node`` has its value from; None if that is made there, and not handed on."""
    is_of_a_library = isinstance(node, ast.Attribute) and bool(file.names(node))
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or is_of_a_library:
        return None
    return [
        _of(found)
        for site, parts in program.origins.behind(Site(file, node), ())
        for found in (
            # An element of what a loop goes over is written nowhere.
            [one.site for one in program.origins.of(site, parts) if not one.parts]
            if parts
            else [site]
        )
    ]


def _of(site: Site) -> Written:
    return cast("SourceFile", site.module), site.node


def _set_unseen(file: SourceFile, node: Any) -> str:
    return f"can't find what sets {file.code(node)} at {file.place(node)}"


def _places(found: list[Written]) -> str:
    return ", ".join(other.place(one) for other, one in found[:_MOST_TOLD])
