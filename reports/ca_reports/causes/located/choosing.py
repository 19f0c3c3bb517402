"""The calls that choose which of several functions runs: of a table, of a variable."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.trail import conditions, is_conditional, unique
from ca_reports.program.names import ENTRIES
from ca_reports.program.syntax import FunctionNode, Site, called_name, scope_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.program.flow import Flow

# What calls of objects and classes run: these choose no function.
_OF_OBJECTS = ("__init__", *ENTRIES)


def choosing_calls(waiting: list[Site], flow: Flow) -> list[Site]:
    """Find the calls that run one of several functions, in one of which ``waiting`` stand.

    What a variable holds, a table or an object of one of several classes; empty where the function
    chooses by itself, or is called by its name in every step.
    """
    seen: set[ast.AST] = set()
    while waiting:
        callers: list[Site] = []
        for site in waiting:
            function = site.scope
            if not isinstance(function, FunctionNode) or function in seen or conditions(site):
                return []
            seen.add(function)
            calls = flow.in_steps(flow.callers(Site(site.module, function)))
            chosen = [
                call for call in calls if is_conditional(call) or _is_open(call, function, flow)
            ]
            if chosen:
                return flow.nearest(unique(chosen))
            callers += calls
        waiting = unique(callers)
    return []


def one_choice(sites: Sequence[Site], flow: Flow) -> list[Site]:
    """Find the one call by which each of ``sites`` is reached, of functions that it chooses from.

    `PLAN[epoch](model)`, where one stage freezes a part and another one thaws all. Empty where some
    are reached otherwise, or stand in one function.
    """
    # By name and line: a log may name one file in two ways.
    if len({(scope_name(site.scope), getattr(site.scope, "lineno", 0)) for site in sites}) < 2:
        return []
    common: list[Site] | None = None
    for site in sites:
        calls = choosing(site, flow)
        nodes = {call.node for call in calls}
        common = calls if common is None else [call for call in common if call.node in nodes]
    return common[:1] if common else []


def choosing(site: Site, flow: Flow) -> list[Site]:
    """Find the calls above ``site`` that choose a function, the nearest first."""
    found: list[Site] = []
    waiting, seen = [site], set[ast.AST]()
    while waiting:
        one = waiting.pop(0)
        function = one.scope
        if not isinstance(function, FunctionNode) or function in seen:
            continue
        seen.add(function)
        calls = flow.in_steps(flow.callers(Site(one.module, function)))
        if scope_name(function) not in _OF_OBJECTS:
            found += [call for call in calls if _is_open(call, function, flow)]
        waiting += calls
    return unique(found)


def _is_open(call: Site, function: ast.AST, flow: Flow) -> bool:
    """Return whether ``call`` may run another function than this one in the next step."""
    assert isinstance(call.node, ast.Call)
    if isinstance(call.node.func, ast.Subscript | ast.Call):
        return True
    name = called_name(call.node)
    if name != scope_name(function) and name not in flow.program.classes:
        return len(flow.names.callees(call.node)) > 1
    owners = {site.module.owner(site.node) for site in flow.program.functions.get(name, ())}
    return isinstance(call.node.func, ast.Attribute) and len(owners) > 1
