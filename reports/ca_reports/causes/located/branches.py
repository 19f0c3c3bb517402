"""Finds branches and loops that decide how many autograd nodes there are, and of which kind."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.causes.findings import CarriedState, OtherNodes
from ca_reports.causes.located import parametrized
from ca_reports.causes.located.batches import operation
from ca_reports.causes.located.rounds import (
    growing,
    is_counted,
    is_fixed,
    looked_up,
    own_loop,
    repeated,
    rounds,
)
from ca_reports.causes.located.trail import (
    conditions,
    deciders,
    has_graph,
    in_lambda,
    is_conditional,
    leaves,
    unique,
    varies,
)
from ca_reports.program.syntax import (
    Site,
    called_name,
    last_name,
    names_in,
    parts_of,
    targets_of,
)
from ca_reports.torchlib import containers, modules, tensors

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail

_DETACHES = frozenset((*tensors.DETACHES, *tensors.INTO_PYTHON, "float", "int", "no_grad"))


def branch(trail: Trail) -> list[Site]:
    """Find the `if` above the operations that come and go."""
    flow = trail.flow
    known = trail.finding.detail
    part = known if isinstance(known, OtherNodes) else OtherNodes("unknown")
    begun = parametrized.begun(trail) if part.computes_weights else []
    if begun or part.part == "parametrization":
        return begun
    found = _around_calls(trail) or repeated(trail)
    if found:
        return found
    own = in_lambda(operation(trail), trail.operation)
    for site in unique([*own, *_operations(trail)]):
        found = deciders(site, trail)
        if found:
            return found[:1] if len({one.scope for one in found}) == 1 else found
    cut = cut_off(trail)
    if cut:
        return cut
    near = [capture.nearest_module or "" for capture in trail.captures]
    for path in (*trail.finding.subject.modules, *near):
        for name in _module_names(path):
            uses = _uses(name, trail)
            found = unique(one for use in uses for one in deciders(use, trail)[:1])
            if found:
                return flow.nearest(found)
    return [
        site
        for site in rounds(operation(trail), flow)
        if is_counted(site.node) or growing(site, flow) is not None
    ]


def _around_calls(trail: Trail) -> list[Site]:
    """Find the `if` around the call of the one of several layers that comes and goes.

    Its operations may be aligned with others of their kind, which are elsewhere.
    """
    paths = [path.split(".") for path in trail.finding.subject.modules]
    common = [parts[0] for parts in zip(*paths, strict=False) if len(set(parts)) == 1]
    if not any(map(str.isdigit, common)):
        return []
    for name in _module_names(".".join(common)):
        found = unique(one for use in _uses(name, trail) for one in conditions(use)[:1])
        if found:
            return found if len({one.scope for one in found}) == 1 else []
    return []


def _uses(name: str, trail: Trail) -> list[Site]:
    """Find where the steps call a module of that name, or each of several in turn."""
    sites = (
        site
        for site in trail.program.reads(name)
        if trail.flow.is_in_steps(site) and not _is_bookkeeping(site)
    )
    return [one for site in sites for one in _looped_over(site)]


def _operations(trail: Trail) -> list[Site]:
    """Find the lines of the nodes that came or went, those of most nodes first."""
    lines = Counter(
        change.forward
        for change in trail.changes
        if change.attribute == "node" and change.forward is not None
    )
    sites = ((line, trail.program.at(line)) for line, _ in lines.most_common())
    return [one for line, site in sites if site is not None for one in in_lambda([site], line)]


def cut_off(trail: Trail) -> list[Site]:
    """Find where the operation's result is detached, or made without a graph, in some steps."""
    flow = trail.flow
    results = {name for site in operation(trail) for name in _targets(site)}
    found = [
        site
        for site in trail.program.calls("detach", "detach_")
        if isinstance(site.node, ast.Call)
        and (names_in(site.node.func) & results)
        and flow.is_in_steps(site)
    ]
    found += [
        site
        for site in trail.program.calls("no_grad", "set_grad_enabled", "inference_mode")
        if flow.is_in_steps(site) and varies(site)
    ]
    return [site for site in unique(found) if is_conditional(site) or varies(site)]


def _looped_over(use: Site) -> list[Site]:
    """Find the calls of each module in turn, where ``use`` is what a loop goes over."""
    for part in use.module.around(use.node):
        if isinstance(part, ast.For) and use.node in set(ast.walk(part.iter)):
            bound = {node.id for node in ast.walk(part.target) if isinstance(node, ast.Name)}
            return [
                Site(use.module, node)
                for node in ast.walk(part)
                if isinstance(node, ast.Call) and last_name(node.func) in bound
            ]
        if isinstance(part, ast.stmt):
            break
    return [use]


def _is_bookkeeping(site: Site) -> bool:
    """Use of a module that are no call of it: its parameters for an optimizer, its length."""
    parent = site.module.parents.get(site.node)
    if isinstance(parent, ast.Call) and called_name(parent) == "len":
        return True
    return isinstance(parent, ast.Attribute) and parent.attr in modules.WITHOUT_A_CALL


def _module_names(path: str) -> list[str]:
    """Return ``['extra', 'blocks']`` of ``blocks.1.extra.weight``, innermost first."""
    parts = [part for part in path.split(".") if part.isidentifier()]
    return [part for part in reversed(parts) if part not in ("weight", "bias", "_orig_mod")]


def loop(trail: Trail) -> list[Site]:
    """Find the loop that runs more or less often."""
    flow = trail.flow
    waiting, lines = operation(trail), _operations(trail)
    if all(own_loop(site, flow) is None for site in waiting):
        # What stands behind a loop may make nodes of the same kinds as what is in it.
        scopes = {site.scope for site in waiting}
        beside = [*(site for site in lines if site.scope in scopes), *lines[:1]]
        waiting = [site for site in beside if own_loop(site, flow)][:1] or waiting
    for group in (waiting, *([site] for site in lines)):
        found = [site for site in rounds(group, flow) if not is_fixed(site, trail.names)]
        if found:
            return found
    steps = {site.node for site in flow.loops}
    fixed = rounds(waiting, flow)
    # A loop that always goes round as often may have an `if` in it, or in what it calls.
    inside = [site for site in branch(trail) if not leaves(site.node)] if fixed else []
    return inside or [
        site
        for site in trail.program.sites(ast.For, ast.While)
        if site.node not in steps
        and flow.is_in_steps(site)
        and not is_fixed(site, trail.names)
        and has_graph(site)
        and _is_variable_loop(site)
    ]


def order(trail: Trail) -> list[Site]:
    """Find the loop over what is combined, else the `if` whose branches each have an order."""
    own = in_lambda(operation(trail), trail.operation)
    loops = rounds(own, trail.flow, by_order=True)
    found = [
        site for site in loops if not is_counted(site.node) and not is_fixed(site, trail.names)
    ]
    return [one for site in found for one in looked_up(site) or [site]] or branch(trail)


def _is_variable_loop(site: Site) -> bool:
    """Return a loop whose number of rounds is no literal, and that does something with tensors."""
    node = site.node
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
        return False  # it gives the steps their data
    if isinstance(node, ast.For):
        over = node.iter
        if isinstance(over, ast.Call) and last_name(over.func) == "range":
            return is_counted(node)
        return not (names_in(over) & {*modules.OF_PARAMETERS, "optimizers", "modules"})
    return True


def carried_state(trail: Trail) -> list[Site]:
    """Find the assignment that carries a graph from one step into the next."""
    flow = trail.flow
    program = trail.program
    found = [
        site
        for site in program.sites(ast.Assign, ast.AugAssign, ast.AnnAssign)
        if flow.is_in_steps(site) and not _is_detached(site.node) and _is_carried(trail, site)
    ]
    found += [
        call
        for call in program.calls(*containers.GROWS)
        if flow.is_in_steps(call)
        and isinstance(call.node, ast.Call)
        and isinstance(call.node.func, ast.Attribute)
        and not any(map(_is_detached, call.node.args))
        and _is_read_as_tensor(trail, call)
    ]
    found = unique(found)
    carried = trail.finding.detail
    variables = carried.names if isinstance(carried, CarriedState) else ()
    named = {name.removeprefix("self.").partition(".")[0] for name in variables}
    used = {name for site in operation(trail) for name in names_in(site.node)}
    for names in (named | used, used, named):
        chosen = [site for site in found if _targets(site) & names]
        if len(chosen) == 1:
            return chosen
    attributes = [site for site in found if _is_attribute(site)]
    return attributes if len(attributes) == 1 else found


def _is_detached(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return True
    value = getattr(node, "value", node)
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in _DETACHES for part in ast.walk(value)
    ) or isinstance(value, ast.Constant)


def _targets(site: Site) -> set[str]:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return {last_name(node.func.value)}
    targets = targets_of(node)
    parts = (
        part.value if isinstance(part, ast.Subscript) else part
        for target in targets
        for part in parts_of(target)
    )
    return {last_name(part) for part in parts} - {""}


def _is_attribute(site: Site) -> bool:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return isinstance(node.func.value, ast.Attribute)
    return any(
        isinstance(target.value if isinstance(target, ast.Subscript) else target, ast.Attribute)
        for target in targets_of(node)
    )


def _is_carried(trail: Trail, site: Site) -> bool:
    """Return whether what is assigned is read in the next step before it is assigned again."""
    node = site.node
    steps = {loop.node for loop in trail.flow.loops}
    if _is_made_anew(site) or _is_bookkept(node):
        return False
    for name in _targets(site):
        if _is_attribute(site):
            if any(map(trail.flow.is_in_steps, trail.program.reads(name))):
                return True
            continue
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Subscript):
            if _begins_outside(site, name, steps):
                return True
            continue
        if _begins_outside(site, name, steps) and _is_read_before(site, name, steps):
            return True
    return False


def _is_made_anew(site: Site) -> bool:
    value = getattr(site.node, "value", None)
    return isinstance(value, ast.List | ast.Dict) or value is None


def _is_bookkept(node: ast.AST) -> bool:
    """Return whether it counts: `step += 1`."""
    return isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Constant)


def _loop_around(site: Site, steps: set[ast.expr | ast.stmt]) -> ast.AST | None:
    """Return the outermost loop of the steps that is around ``site`` in its function."""
    return next(
        (part for part in reversed(list(site.module.around(site.node))) if part in steps), None
    )


def _begins_outside(site: Site, name: str, steps: set[ast.expr | ast.stmt]) -> bool:
    """Return whether ``name`` is assigned before the loop of the steps as well as in it."""
    around = _loop_around(site, steps)
    if around is None:
        return False
    inside = set(ast.walk(around))
    scope = site.scope
    arguments = {argument.arg for argument in ast.walk(scope) if isinstance(argument, ast.arg)}
    return name in arguments or any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Store)
        and part not in inside
        for part in ast.walk(scope)
    )


def _is_read_before(site: Site, name: str, steps: set[ast.expr | ast.stmt]) -> bool:
    around = _loop_around(site, steps)
    assert around is not None
    reads = [
        part.lineno
        for part in ast.walk(around)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
    ]
    return any(line <= (site.node.end_lineno or site.line) for line in reads)


def _is_read_as_tensor(trail: Trail, call: Site) -> bool:
    """Return whether the container that ``call`` fills is one that outlives a step, and is read."""
    assert isinstance(call.node, ast.Call)
    assert isinstance(call.node.func, ast.Attribute)
    held = call.node.func.value
    name = last_name(held)
    steps = {loop.node for loop in trail.flow.loops}
    outlives = isinstance(held, ast.Attribute) or _begins_outside(call, name, steps)
    reads = [
        site
        for site in trail.program.reads(name)
        if site.node is not held
        and trail.flow.is_in_steps(site)
        and not (
            isinstance(parent := site.module.parents.get(site.node), ast.Attribute)
            and parent.attr in containers.FILLS
        )
    ]
    return outlives and bool(reads)
