"""Which line decides about a value, by what differs: its amount, its kind, or that there is one.

`Origins` gives the expressions that a value comes from. Of these the line to change is the one that
makes it differ between steps: what changes a number, the `if` or the store that leaves something
None, what makes an object of another class, what gives one tensor two names.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_reports.causes.located.trail import (
    conditions,
    is_conditional,
    not_restoring,
    unique,
    varies,
)
from ca_reports.program.syntax import LOOPS, Site, called_name, last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.program.flow import Flow
    from ca_reports.program.origins import Origin

_LITERALS: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.Tuple, "tuple"),
    (ast.List, "list"),
    (ast.ListComp, "list"),
    (ast.Dict, "dict"),
    (ast.DictComp, "dict"),
    (ast.Set, "set"),
    (ast.SetComp, "set"),
)


def changing(sites: Iterable[Site], flow: Flow) -> list[Site]:
    """Find those that run in the steps, of these the ones whose value may differ, the nearest."""
    found = unique(sites)
    found = [site for site in found if flow.is_in_steps(site)] or found
    found = not_restoring(found)
    found = [site for site in found if varies(site)] or found
    return flow.nearest(found)


def amount(origins: Sequence[Origin], flow: Flow) -> list[Site]:
    """Find the line that changes a number, a string or a flag."""
    made = [origin for origin in origins if not origin.is_missing] or list(origins)
    made = [origin for origin in made if not _is_default(origin.site)] or made
    picked = [site for origin in made if (site := _picked(origin)) is not None]
    called = [site for origin in made if (site := _called_for(origin, flow)) is not None]
    if made and len(called) == len(made):
        return changing(called, flow)
    if picked:
        return changing(picked, flow)
    chosen = [_round(origin) or origin.site for origin in made]
    if any(map(flow.is_in_steps, chosen)):
        found = changing(chosen, flow)
        return found if len(found) == 1 else _of_all(made) or found
    return changing([_taken_up(origin, flow) for origin in made], flow)


def _of_all(origins: Sequence[Origin]) -> list[Site]:
    """Find the last expression that all of several values come through: the call that gives one."""
    ways = [{site.node for site in origin.way} for origin in origins]
    return [
        site
        for site in reversed(origins[0].way)
        if isinstance(site.node, ast.Call) and all(site.node in way for way in ways)
    ][:1]


def _is_default(site: Site) -> bool:
    return isinstance(site.module.parents.get(site.node), ast.arguments)


def _round(origin: Origin) -> Site | None:
    """Find the loop that takes one element after the other of what is made otherwise."""
    if None not in origin.parts:
        return None
    return next((site for site in reversed(origin.way) if _is_looped_over(site)), None)


def _is_looped_over(site: Site) -> bool:
    parent = site.module.parents.get(site.node)
    loops = ast.For | ast.AsyncFor | ast.comprehension
    return isinstance(parent, loops) and parent.iter is site.node


def _called_for(origin: Origin, flow: Flow) -> Site | None:
    """Find where a function or property is asked that gives one of some fixed values.

    Its values are all wanted: it is what takes them that is to be changed.
    """
    fixed = origin.site.node
    while isinstance(fixed, ast.Attribute):
        fixed = fixed.value
    if not isinstance(fixed, ast.Constant) and last_name(fixed) not in flow.program.classes:
        return None
    return next(
        (site for site in reversed(origin.way) if isinstance(site.node, ast.Call | ast.Attribute)),
        None,
    )


def _taken_up(origin: Origin, flow: Flow) -> Site:
    """Return where the steps take up a value that was made before them: the round of a loop."""
    return next((site for site in reversed(origin.way) if flow.is_in_steps(site)), origin.site)


def identity(origins: Sequence[Origin], flow: Flow) -> list[Site]:
    """Find the call by which the steps get another object each time, else what gives them one."""
    asked = [
        site
        for origin in origins
        for site in (*origin.way, origin.site)
        if isinstance(site.node, ast.Call) and flow.is_in_steps(site)
    ]
    return unique(asked)[:1] or amount(origins, flow)


def presence(origins: Sequence[Origin], flow: Flow) -> list[Site]:
    """Find the line that decides whether there is a value, or None."""
    missing = [origin for origin in origins if origin.is_none]
    given = [origin for origin in origins if not origin.is_none]
    picked = [site for origin in missing if (site := _picked(origin)) is not None]
    written = [origin.site for origin in missing if not origin.is_missing]
    shared = {site.node for origin in missing for site in origin.way}
    return _first(
        picked,
        [site for origin in given for site in conditions(origin.site)[:1]],
        # Where it is put into what lacks it else: `if pairs: batch["types"] = pad(types)`.
        [
            site
            for origin in given
            for handed in origin.way
            if missing and handed.node not in shared
            for site in conditions(handed)[:1]
        ],
        [made for made in written if conditions(made)],
        [made for made in written if _is_carried_on(made)],
        [origin.site for origin in given if missing and flow.is_in_steps(origin.site)],
        flow=flow,
    )


def _is_carried_on(none: Site) -> bool:
    """Return whether a variable begins as None, and a loop sets it to what its rounds make."""
    statement = none.module.statement_at(none.line)
    if not isinstance(statement, ast.Assign):
        return False
    names = {
        node.id
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
        for loop in ast.walk(none.scope)
        if isinstance(loop, LOOPS) and loop.lineno > statement.lineno
        for node in ast.walk(loop)
    )


def kind(
    origins: Sequence[Origin], expected: str | None, actual: str | None, flow: Flow
) -> list[Site]:
    """Find the line that makes an object of the type ``actual``, where ``expected`` came before."""
    came = [origin for origin in origins if _is_of_type(origin.site.node, actual)]
    before = [origin for origin in origins if _is_of_type(origin.site.node, expected)]
    other = came or [origin for origin in origins if before and origin not in before]
    return _first(
        [site for origin in other if (site := _picked(origin)) is not None],
        [origin.site for origin in other if is_conditional(origin.site)],
        [origin.site for origin in before if is_conditional(origin.site)],
        [origin.site for origin in other],
        flow=flow,
    )


def sharing(left: Sequence[Origin], right: Sequence[Origin], flow: Flow) -> list[Site]:
    """Find the line by which two variables hold one tensor in some calls."""
    both = [
        (one, other)
        for one in left
        for other in right
        if one.site.node is other.site.node or _is_named_alike(one.site, other.site)
    ]
    containers = [site for one, other in both for site in _parting(one, other)]
    handed = [
        site
        for one, other in both
        for here, there in ((one, other), (other, one))
        for site in (*here.way, here.site)
        if site.node not in {each.node for each in there.way}
    ]
    return _first(
        [site for site in handed if isinstance(site.node, ast.IfExp)],
        [site for site in containers if _names_twice(site.node)],
        [site for site in containers if is_conditional(site)],
        containers,
        [site for site in handed if _is_returned(site) and is_conditional(site)],
        [site for site in handed if _names_another(site)],
        flow=flow,
    )


def _parting(one: Origin, other: Origin) -> Iterator[Site]:
    """Yield the container of which the two values are different elements, though one tensor."""
    after = {site.node: behind.node for site, behind in pairwise((*other.way, other.site))}
    for site, behind in pairwise((*one.way, one.site)):
        is_container = isinstance(site.node, ast.Dict | ast.Tuple | ast.List)
        if is_container and after.get(site.node, behind.node) is not behind.node:
            yield site


def _names_twice(node: ast.AST) -> bool:
    """Return whether a container has one variable for two elements: `(first, first, 1.0)`."""
    elements = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    names = [each.id for each in elements if isinstance(each, ast.Name)]
    return len(set(names)) < len(names)


def _first(*groups: list[Site], flow: Flow) -> list[Site]:
    """Find the nearest of the first group that has any."""
    for group in groups:
        if group:
            return flow.nearest(unique(flow.in_steps(group)))
    return []


def _picked(origin: Origin) -> Site | None:
    """Find the `a if test else b` that the value came through, the nearest to where it is made."""
    return next((site for site in reversed(origin.way) if isinstance(site.node, ast.IfExp)), None)


def _is_of_type(node: ast.AST, name: str | None) -> bool:
    words = re.findall(r"\w+", name or "")
    if not words:
        return False
    if isinstance(node, ast.Constant):
        known = type(node.value).__name__
        return bool(known == words[-1])
    if isinstance(node, ast.Call):
        called = called_name(node)
        return called == words[-1] or (words[-1] == "Tensor" and called == "tensor")
    return any(isinstance(node, literal) and words[-1] == known for literal, known in _LITERALS)


def _is_named_alike(one: Site, other: Site) -> bool:
    """Return two mentions of a variable in one function."""
    return (
        isinstance(one.node, ast.Name)
        and isinstance(other.node, ast.Name)
        and one.node.id == other.node.id
        and one.scope is other.scope
    )


def _is_returned(site: Site) -> bool:
    return isinstance(site.module.parents.get(site.node), ast.Return)


def _names_another(site: Site) -> bool:
    """`previous = frames[0]`; not so where a loop's round hands its own on to the next."""
    parent = site.module.parents.get(site.node)
    if not isinstance(parent, ast.Assign) or not isinstance(
        site.node, ast.Name | ast.Attribute | ast.Subscript
    ):
        return False
    for around in site.module.around(parent):
        if isinstance(around, ast.For | ast.While):
            return around.body[-1] is not parent
    return True
