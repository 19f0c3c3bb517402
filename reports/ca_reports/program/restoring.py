"""Functions that change a setting of torch's, and leave it changed for the code after them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import Definition, Site, last_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_ENTERS, _EXITS = "__enter__", "__exit__"
# What ends a function before its last lines.
_ENDS_EARLY = (ast.Return, ast.Raise)


@dataclass(frozen=True, slots=True)
class Unrestored:
    """A function that leaves a setting as it sets it.

    ``setting`` is the line that sets it. ``branch`` is the `if` of a context manager's `__exit__`
    in which alone it is put back; None for a function, which ends without putting it back.
    """

    function: Site
    setting: Site
    branch: Site | None = None

    @property
    def line(self) -> Site:
        """Return the line to edit."""
        return self.setting if self.branch is None else self.branch


def unrestored(call: Site, setters: Collection[str]) -> Unrestored | None:
    """Return what leaves the setting as ``call`` sets it, by one of ``setters``; else None.

    None where it is put back, also by another function, and where that depends on a branch.
    """
    module, function = call.module, call.scope
    line = module.parents.get(call.node)
    if not isinstance(function, Definition) or not isinstance(line, ast.Expr):
        return None
    if module.parents.get(line) is not function:
        return None
    if function.name == _ENTERS:
        return _of_manager(call, function, setters)
    nodes = [*ast.walk(function)]
    if any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Await) for one in nodes):
        return None
    if function.name == _EXITS or _puts_back(function, line, setters):
        return None
    return Unrestored(Site(module, function), Site(module, line))


def _of_manager(call: Site, enters: Definition, setters: Collection[str]) -> Unrestored | None:
    """Return the context manager that puts a setting back in a branch of its `__exit__` only."""
    module = call.module
    owner = module.parents.get(enters)
    body = owner.body if isinstance(owner, ast.ClassDef) else []
    exits = [one for one in body if isinstance(one, Definition) and one.name == _EXITS]
    restoring = [line for one in exits for line in _setting(one, setters)]
    branches = {module.parents.get(line) for line in restoring}
    branch = next(iter(branches)) if len(branches) == 1 else None
    if not isinstance(branch, ast.If) or module.parents.get(branch) not in exits:
        return None
    if branch.orelse or len(branch.body) != len(restoring):
        return None
    return Unrestored(Site(module, enters), call, Site(module, branch))


def _setting(function: ast.AST, setters: Collection[str]) -> Iterator[ast.Expr]:
    """Yield the lines of a function that call a setter."""
    for node in ast.walk(function):
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and last_name(call.func) in setters:
            assert isinstance(node, ast.Expr)
            yield node


def _puts_back(function: Definition, line: ast.stmt, setters: Collection[str]) -> bool:
    """Return whether a function sets it once more before each of its ends."""
    others = [one for one in _setting(function, setters) if one is not line]
    if any(one.lineno < line.lineno for one in others):
        return True  # it is what puts back
    finally_ = [
        node
        for one in ast.walk(function)
        if isinstance(one, ast.Try)
        for last in one.finalbody
        for node in ast.walk(last)
    ]
    if any(one in finally_ for one in others):
        return True
    after = function.body[function.body.index(line) + 1 :]
    last = next((at for at, one in enumerate(after) if one in others), None)
    if last is None:
        return not after  # nothing else is done: the setting is what the function is for
    return not any(isinstance(node, _ENDS_EARLY) for one in after[:last] for node in ast.walk(one))
