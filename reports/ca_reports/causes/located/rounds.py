"""Finds the loops that operations are in, and which of them may go otherwise in another step."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.causes.located.trail import breaks, conditions, has_graph, unique
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import (
    LOOPS,
    FunctionNode,
    Site,
    called_name,
    last_name,
    names_in,
    scope_name,
)
from ca_reports.torchlib import containers, modules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.flow import Flow
    from ca_reports.program.names import Names
    from ca_reports.run.model import Capture, Frame

_LOOPS = (*LOOPS, *COMPREHENSIONS)
_CONSTRUCTORS = ("__init__", "__post_init__")
# What gives the elements of all that it is given, in their order.
_ELEMENTWISE = ("zip", "enumerate", "reversed", "list", "tuple", "iter")
_REORDERS = ("shuffle", "heapify", "heappush", "heappop")
_SETS = ("set", "frozenset", "intersection", "union", "difference")


def rounds(waiting: list[Site], flow: Flow, *, by_order: bool = False) -> list[Site]:
    """Return the loops that ``waiting`` are in: in their functions, else around calls of these.

    A loop over what is always the same is gone through, and is the answer only where there is no
    other. ``by_order``: one over what has no order of its own is preferred to others beside it.
    """
    steps = {site.node for site in flow.loops}
    seen: set[ast.AST] = set()
    fixed: list[Site] = []
    while waiting:
        found: list[Site] = []
        callers: list[Site] = []
        for site in waiting:
            every = _own_loops(site, steps)
            own = [loop for loop in every if not is_fixed(loop, flow.names)]
            if by_order:
                own.sort(key=lambda loop: not is_unordered(loop))
            found += own[:1]
            if not own and isinstance(site.scope, FunctionNode) and site.scope not in seen:
                seen.add(site.scope)
                callers += filter(has_graph, flow.callers(Site(site.module, site.scope)))
            if not own and not fixed:
                fixed = every[:1]
        if found:
            unordered = [loop for loop in found if is_unordered(loop)] if by_order else []
            return unique(unordered or found)
        waiting = flow.in_steps(callers)
    return fixed


def own_loop(site: Site, flow: Flow) -> Site | None:
    """Find the innermost loop that ``site`` is in, in its function; none that takes the steps."""
    return next(iter(_own_loops(site, {loop.node for loop in flow.loops})), None)


def repeated(trail: Trail) -> list[Site]:
    """Return the counted loops whose own lines made nodes in both captures, in one of them more.

    What a branch adds has lines that made none before. Lines of modules below the loop don't count:
    each of several layers, of which one is left out, has them. Where the rest of the function made
    more nodes as well, the function was called more often.
    """
    found: list[Site] = []
    for capture, other in trail.pairs:
        now, before = _nodes_of_lines(capture), _nodes_of_lines(other)
        changed = {line for line in {*now, *before} if now[line] != before[line]}
        sites = {line: site for line in changed if (site := trail.program.at(line)) is not None}
        for line, site in sites.items():
            if not (now[line] and before[line]):
                continue
            loop = own_loop(site, trail.flow)
            if loop is None or not is_counted(loop.node) or is_fixed(loop, trail.names):
                continue
            outside = [one for one in sites.values() if one.scope is loop.scope]
            if all(_is_in(one, loop) for one in outside) and not _is_left_out(site, loop):
                found.append(loop)
    return unique(found)


def _nodes_of_lines(capture: Capture) -> Counter[Frame]:
    return Counter(capture.lines.values())


def _is_in(site: Site, loop: Site) -> bool:
    return loop.node in (site.node, *site.module.around(site.node))


def _is_left_out(site: Site, loop: Site) -> bool:
    """Return whether some rounds go without ``site``; what ends the loop is no such condition."""
    return any(
        condition.node is not loop.node and _is_in(condition, loop) and not breaks(condition.node)
        for condition in conditions(site)
    )


def _own_loops(site: Site, steps: set[ast.expr | ast.stmt]) -> list[Site]:
    return [
        Site(site.module, part)
        for part in (site.node, *site.module.around(site.node), *_inside(site))
        if isinstance(part, _LOOPS) and part not in steps and _is_of(site, part)
    ]


def _inside(site: Site) -> list[ast.AST]:
    """Return loops within the statement itself: `sum(step(x) for x in xs)`."""
    if not isinstance(site.node, ast.stmt) or isinstance(site.node, ast.For | ast.While):
        return []
    return [node for node in ast.walk(site.node) if isinstance(node, COMPREHENSIONS)]


def _is_of(site: Site, part: ast.AST) -> bool:
    return site.module.scope(part) is site.scope or part is site.node


def is_counted(node: ast.AST) -> bool:
    """Return whether ``node`` is a loop that counts to a variable, or that ends by a condition."""
    if isinstance(node, ast.While):
        return True
    return (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and last_name(node.iter.func) == "range"
        and not all(isinstance(each, ast.Constant) for each in node.iter.args)
    )


def is_unordered(loop: Site) -> bool:
    """Return whether a loop goes over a set, or over a dictionary in the order it was filled in."""
    for node in _over(loop):
        if isinstance(node, ast.Set | ast.SetComp):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) in (*containers.VIEWS, *_SETS):
            return True
    return False


def looked_up(loop: Site) -> list[Site]:
    """Find statements that take by variable keys what a dict comprehension made, in its function.

    Then their order counts, and that in which it was made does not. Empty for other loops, and
    where the dictionary is used in another way: gone over, or handed on.
    """
    made = loop.module.parents.get(loop.node)
    if not isinstance(loop.node, ast.DictComp) or not isinstance(made, ast.Assign):
        return []
    names = {target.id for target in made.targets if isinstance(target, ast.Name)}
    reads = [
        node
        for node in ast.walk(loop.scope)
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
    ]
    taken = [loop.module.parents.get(node) for node in reads]
    if len(names) != 1 or not all(isinstance(each, ast.Subscript) for each in taken):
        return []
    return unique(
        Site(loop.module, statement)
        for each in taken
        if isinstance(each, ast.Subscript)
        and names_in(each.slice)
        and (statement := loop.module.statement_at(each.lineno)) is not None
    )


def is_fixed(loop: Site, names: Names) -> bool:
    """Return whether a loop goes over the same things in the same order in every step."""
    over = _over(loop)
    return bool(over) and all(_is_same(node, names) for node in over)


def _over(loop: Site) -> list[ast.expr]:
    """Return what a loop goes over; of a comprehension each of its parts."""
    node = loop.node
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter]
    return [part.iter for part in getattr(node, "generators", ())]


def _is_same(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return not any(isinstance(each, ast.Starred) for each in node.elts)
    if isinstance(node, ast.Attribute):
        return _is_kept(node.attr, names)
    if not isinstance(node, ast.Call):
        return False
    called = last_name(node.func)
    if isinstance(node.func, ast.Attribute):
        held = node.func.value
        return called in modules.OF_ITSELF or (
            called in containers.VIEWS
            and isinstance(held, ast.Attribute)
            and _is_kept(held.attr, names)
        )
    if called == "range":
        return all(isinstance(each, ast.Constant) or _is_length(each, names) for each in node.args)
    return (
        called in _ELEMENTWISE
        and bool(node.args)
        and all(isinstance(each, ast.Constant) or _is_same(each, names) for each in node.args)
    )


def _is_length(node: ast.expr, names: Names) -> bool:
    return (
        isinstance(node, ast.Call)
        and called_name(node) == "len"
        and len(node.args) == 1
        and _is_same(node.args[0], names)
    )


def _is_kept(attribute: str, names: Names) -> bool:
    """Return whether an attribute holds layers, or what is written out, as its object was made."""
    given = names.attributes.get(attribute, ())
    return (
        bool(given)
        and all(in_constructor(site) and _is_written_out(value) for site, value in given)
        and all(map(in_constructor, _changing(attribute, names)))
    )


def _is_written_out(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value) in modules.CONTAINERS
    return isinstance(value, ast.Tuple | ast.List | ast.Dict) and bool(
        value.keys if isinstance(value, ast.Dict) else value.elts
    )


def _changing(attribute: str, names: Names) -> list[Site]:
    """Find what changes the contents of a container of that name anywhere."""
    found = [*names.filling.get(attribute, ())]
    found += [
        call
        for call in names.program.calls(*containers.CHANGES)
        if isinstance(call.node, ast.Call)
        and isinstance(call.node.func, ast.Attribute)
        and last_name(call.node.func.value) == attribute
    ]
    found += [
        call
        for call in names.program.calls(*_REORDERS)
        if isinstance(call.node, ast.Call) and attribute in map(last_name, call.node.args)
    ]
    found += [
        site
        for site in names.program.sites(ast.Delete)
        if isinstance(site.node, ast.Delete)
        and any(
            isinstance(target, ast.Subscript) and last_name(target.value) == attribute
            for target in site.node.targets
        )
    ]
    return found


def in_constructor(site: Site) -> bool:
    """Return whether ``site`` runs as an object is made."""
    return scope_name(site.scope) in _CONSTRUCTORS


def growing(loop: Site, flow: Flow) -> Site | None:
    """Find what adds to the list that ``loop`` goes over and that outlives the steps.

    It has a round more each time: `self.memories.append(…)` after each task.
    """
    held = [node for node in _lists(_over(loop)) if isinstance(node, ast.Attribute)]
    for node in held:
        changes = [
            site
            for site in _changing(node.attr, flow.names)
            if not in_constructor(site) and isinstance(site.node, ast.Call)
        ]
        adds = [site for site in changes if last_name(site.node.func) in containers.APPENDS]  # type: ignore[union-attr]
        given = flow.names.attributes.get(node.attr, ())
        is_anew = any(flow.is_in_steps(site) for site, _ in given if not in_constructor(site))
        if adds and len(adds) == len(changes) and not is_anew and not _is_bounded(given):
            return adds[0]
    return None


def _lists(over: Iterable[ast.expr]) -> list[ast.expr]:
    """Return what is gone over in each part: ``self.memories`` of ``enumerate(self.memories)``."""
    found: list[ast.expr] = []
    for node in over:
        is_part = isinstance(node, ast.Call) and last_name(node.func) in _ELEMENTWISE
        found += _lists(node.args) if is_part and isinstance(node, ast.Call) else [node]
    return found


def _is_bounded(given: Iterable[tuple[Site, ast.expr]]) -> bool:
    return any(isinstance(value, ast.Call) and called_name(value) == "deque" for _, value in given)
