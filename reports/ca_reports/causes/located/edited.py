"""Finds the line that a remedy edits, where that is not the one that makes the difference.

A number is computed in one line and handed over in another, a limit is set in one and holds for
what another compiles: what is done about it decides which of them is the line to edit.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import GuardedValue, MadeAgain
from ca_reports.causes.located.arguments import call, handed_over, inside
from ca_reports.causes.located.modes import compiling
from ca_reports.program.syntax import FunctionNode, Site, last_name
from ca_reports.torchlib.containers import MAKES_CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Edit, Remedy


_COMPILE = "torch.compile"


def lines(trail: Trail, remedy: Remedy, found: Sequence[Site]) -> Sequence[Site]:
    """Return the line that ``remedy`` edits, else those that were ``found``."""
    edit = remedy.edit
    search = _EDITED.get(edit) if isinstance(edit, str) else _given
    edited = [] if search is None else search(trail, found)
    return edited if len(edited) == 1 else found


def _given(trail: Trail, found: Sequence[Site]) -> Sequence[Site]:
    """Return the one call, or `partial`, that gives a compiled function the number.

    Empty where an object or a container has it, or a closure: it is a tensor where that gets it.
    What the function that makes the call computes itself, several calls may be given.
    """
    value = trail.finding.detail
    if not isinstance(value, GuardedValue) or value.holder != "variable":
        return []
    given = handed_over(trail, value.source)
    around = {site.scope for site in given}
    called = {site.place for site in call(trail)}
    is_computed = any(site.scope in around and site.place not in called for site in found)
    return [] if is_computed else given


def _class(trail: Trail, _: Sequence[Site]) -> Sequence[Site]:
    """Return the class that a function defines in each call of it, or what makes one in a step."""
    made = trail.finding.detail
    if not isinstance(made, MadeAgain):
        return []
    defined = [
        one
        for one in trail.program.classes.get(made.name, ())
        if isinstance(one.scope, FunctionNode)
    ]
    return defined or [
        site
        for site in trail.program.sites(ast.Assign)
        if isinstance(site.node, ast.Assign)
        and last_name(site.node.targets[0]) == made.name
        and isinstance(site.node.value, ast.Call)
        and last_name(site.node.value.func) in MAKES_CLASSES
        and (isinstance(site.scope, FunctionNode) or trail.flow.is_in_steps(site))
    ]


def _compiling(trail: Trail, _: Sequence[Site]) -> Sequence[Site]:
    """Find the `torch.compile` of the finding's function: its decorator, else its only call."""
    start = inside(trail.compiles[0].location, trail.flow) if trail.compiles else None
    function = None if start is None else start.scope
    if start is not None and isinstance(function, FunctionNode):
        decorators = [
            Site(start.module, one)
            for one in getattr(function, "decorator_list", ())
            if start.module.full_name(one.func if isinstance(one, ast.Call) else one) == _COMPILE
        ]
        if decorators:
            return decorators
    return compiling(trail)


_EDITED: Mapping[Edit, Callable[[Trail, Sequence[Site]], Sequence[Site]]] = {
    "class_once": _class,
    "dynamic_numbers": _compiling,
    "limit_of_compile": _compiling,
    "tensor_number": _given,
}
