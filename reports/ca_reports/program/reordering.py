"""Calls that torch can move behind a graph (`reorderable_logging_functions`).

Each argument must be a tensor, a constant or a formatted text; with any other torch ends the graph
as before. Measured on torch 2.13.0: a warning's category or object, a file, a list or a shape.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from ca_reports.program.syntax import last_name

if TYPE_CHECKING:
    from ca_reports.program.syntax import Module, Site

# Arguments that are an object of Python's unless they are None, by name, with their place if they
# have one.
_OF_WARN: dict[str, int | None] = {"category": 1, "source": 3}
_OF_PRINT: dict[str, int | None] = {"file": None}
_OBJECTS = {
    "warnings.warn": _OF_WARN,
    "warn": _OF_WARN,  # a quoted line has no imports
    "builtins.print": _OF_PRINT,
}
_DISPLAYS = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.Lambda,
)  # fmt: skip


def objects_written(site: Site) -> list[ast.expr]:
    """Return the arguments in a statement for which torch leaves its call where it is.

    A size or a list that `print` gets is none of them: it can be a text (`written_as_texts`).
    """
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call))
    return [one for call in calls for one in _objects_of(site.module, call)]


def _objects_of(module: Module, call: ast.Call) -> list[ast.expr]:
    known = _OBJECTS.get(module.full_name(call.func) or ast.unparse(call.func))
    if known is None:
        return []
    found = [
        one
        for at, one in enumerate(call.args)
        if at in known.values() or _is_exception(module, one)
    ]
    found += [one.value for one in call.keywords if one.arg in known]
    return [one for one in found if not (isinstance(one, ast.Constant) and one.value is None)]


def _is_exception(module: Module, given: ast.expr) -> bool:
    """Return whether it is an exception or warning of Python's, or its class."""
    node = given.func if isinstance(given, ast.Call) else given
    name = module.full_name(node)
    kind = getattr(builtins, name.removeprefix("builtins."), None) if name else None
    return isinstance(kind, type) and issubclass(kind, BaseException)


def written_as_texts(call: ast.Call) -> list[ast.expr]:
    """Return what a `print` has to write as an f-string, so that torch can move it."""
    if last_name(call.func) != "print":
        return []
    return [one for one in call.args if isinstance(one, _DISPLAYS) or _is_of_sizes(one)]


def _is_of_sizes(given: ast.expr) -> bool:
    """Return all sizes of a tensor: `x.shape`, `x.size()`, `tuple(x.shape)`."""
    if isinstance(given, ast.Call) and last_name(given.func) in ("tuple", "list") and given.args:
        given = given.args[0]
    return last_name(given.func if isinstance(given, ast.Call) else given) in ("shape", "size")
