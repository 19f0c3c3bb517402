"""Finds where a thing with a name is changed: set, filled, scheduled, made again in each step."""

from __future__ import annotations

import ast
from pathlib import PurePath
from typing import TYPE_CHECKING

from ca_reports.causes.findings import DictKeys
from ca_reports.causes.located import chosen
from ca_reports.causes.located.arguments import inside
from ca_reports.causes.located.chosen import changing
from ca_reports.causes.located.trail import is_conditional, unique, varies
from ca_reports.facts.guard_paths import GuardPath, guard_path
from ca_reports.program.names import Classes
from ca_reports.program.syntax import (
    Site,
    container_of,
    keyword,
    last_name,
    names_in,
    root_of,
    sets_computed_name,
    targets_of,
)
from ca_reports.torchlib import containers
from ca_reports.torchlib.optimizers import GROUPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.flow import Flow
    from ca_reports.program.origins import Origin
    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Module

_PAIR = 2
_UNKNOWN = Classes()


def where_it_is_changed(source: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find where what ``source`` names changes from step to step; empty if that cannot be told.

    ``source`` is an expression over the variables of the compiled ``frame``
    (``self.slope``, ``L['n']``, ``G['config'].mode``, ``self._modules['attn'].scale``).
    """
    path = guard_path(source).inner
    flow = trail.flow
    free = free_variable(path, frame, flow)
    if free:
        return find_variable(free, frame, trail)
    names = path.names
    if not names:
        return []
    if len(names) == 1:
        return find_variable(names[0], frame, trail)
    # `config.net.slope`: the last attribute that something assigns to, from the end.
    classes = _classes_with(names, len(names) - 1, frame, trail)
    later = set_later(names[-1], flow, classes, is_key=bool(path.entry))
    before = [
        set_later(names[at], flow, _classes_with(names, at, frame, trail))
        for at in range(len(names) - 2, 0, -1)
    ]
    known = [found for found in (later, *before) if found]
    for found in known:
        if any(map(flow.is_in_steps, found)):
            return found
    # Nothing changes it later on: the objects of one class were made with different values.
    assigned = _assigned_in_constructor(names[-1], classes, flow)
    for found in (
        _made_in_steps(names[-1], assigned, flow),
        later,
        changing(_globals_set(names[-1], flow), flow),
        changing(_set_by_computed_name(flow), flow),
        assigned if len(assigned) == 1 else [],
        _in_display(names[-1], flow) if path.entry else [],
        *known[:1],
    ):
        if found:
            return found
    return find_variable(names[0], frame, trail)


def _set_by_computed_name(flow: Flow) -> list[Site]:
    """Find the calls of `setattr` in the steps whose name is none that is written there."""
    return [
        call
        for call in flow.program.calls("setattr")
        if isinstance(call.node, ast.Call)
        and sets_computed_name(call.node)
        and flow.is_in_steps(call)
    ]


def _classes_with(names: Sequence[str], at: int, frame: Frame | None, trail: Trail) -> Classes:
    """Return the classes of the object whose attribute is ``names[at]``.

    That of the method where it is `self`, of the method that noticed the change if it read it of
    its own `self`, else of what the name before it is made of. A file or function of the program
    is of none.
    """
    flow = trail.flow
    start = inside(frame, flow)
    owner = None if start is None else start.module.class_of_self(start.node)
    is_own = start is not None and names[0] in ("self", _receiver(start))
    if is_own and len(names) == _PAIR and owner is not None:
        return Classes((owner.name,), is_sure=True)
    if flow.names.is_no_object(names[at - 1]):
        return Classes(is_sure=True)
    if at == 1 and (own_classes := _recorded_classes(names[0], trail)):
        return Classes(own_classes, is_sure=True)
    return flow.names.of_read(names[at], names[at - 1], trail.program.at(trail.finding.noticed_at))


def _recorded_classes(argument: str, trail: Trail) -> frozenset[str]:
    """Return the program's own classes that objects given for ``argument`` were of."""
    types = {
        held.type.rpartition(".")[2]
        for compiled in trail.compiles
        if compiled.held is not None
        for name, held in compiled.held.arguments
        if name == argument
    }
    return frozenset(types & trail.program.classes.keys())


def _receiver(line: Site) -> str:
    """Return what the method of a line calls its object; `self` outside of a function."""
    if isinstance(line.scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return line.module.receiver(line.scope)
    return "self"


def free_variable(path: GuardPath, frame: Frame | None, flow: Flow) -> str:
    """Return the variable in the cell that ``path`` ends in, of a line's function."""
    return "" if path.cell is None else variable_of_cell(path.cell, frame, flow)


def variable_of_cell(cell: int, frame: Frame | None, flow: Flow) -> str:
    """Return the variable in a closure's cell, of a line's function: numbered by name."""
    start = inside(frame, flow)
    if start is None or isinstance(start.scope, ast.Module):
        return ""
    free = free_variables(start.module, start.scope)
    return free[cell] if cell < len(free) else ""


def free_variables(module: Module, function: ast.AST) -> list[str]:
    """Return variables of functions around it that a function reads, in the order of its cells."""
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    kept = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Nonlocal | ast.Global)
        for name in node.names
    }
    own = parameters_of(function) | _stored(function)
    around: set[str] = set()
    outer = module.scope(function)
    while outer is not module.tree:
        around |= parameters_of(outer) | _stored(outer)
        outer = module.scope(outer)
    return sorted((used - (own - kept)) & around)


def _stored(function: ast.AST) -> set[str]:
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def filled_in(function: ast.AST, module: Module, name: str) -> list[Site]:
    """Find the lines of a function that change the variable of another one, or what it holds."""
    found = [
        Site(module, node)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AugAssign) and name in map(_held, targets_of(node))
    ]
    found += [
        Site(module, node)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in containers.FILLS
        and _held(node.func.value) == name
    ]
    return unique(found)


def _held(node: ast.expr) -> str:
    """Return ``seen`` of ``seen``, ``seen["steps"]`` and ``seen.steps``."""
    return last_name(root_of(node))


def _assigned_in_constructor(name: str, classes: Classes, flow: Flow) -> list[Site]:
    """Find each `self.name = name` by which each object of ``classes`` has a value of its own."""
    own = [
        (site, target, value)
        for site, target, value in flow.names.changes_of(name)
        if _in_constructor(site)
        and value is not None
        and bool(names_in(value) & parameters_of(site.scope))
    ]
    return [site for site, _, _ in flow.names.of_objects(own, classes)]


def _made_in_steps(name: str, assigned: Iterable[Site], flow: Flow) -> list[Site]:
    """Find the constructor's call by which each step has an object with another ``name``."""
    owners = {owner.name for site in assigned if (owner := site.module.owner(site.scope))}
    found = flow.program.calls(*owners)
    found += [
        site
        for owner in flow.program.classes
        for site in flow.program.calls(owner)
        if isinstance(site.node, ast.Call) and keyword(site.node, name) is not None
    ]
    return changing([site for site in found if flow.is_in_steps(site) and varies(site)], flow)


def _in_display(key: str, flow: Flow) -> list[Site]:
    """Find the `{"key": value}` that is made in each step with another value."""
    found = [
        site
        for site in flow.program.sites(ast.Dict)
        if isinstance(site.node, ast.Dict)
        and any(
            isinstance(one, ast.Constant)
            and one.value == key
            and not isinstance(value, ast.Constant)
            for one, value in zip(site.node.keys, site.node.values, strict=True)
        )
    ]
    return changing([site for site in found if flow.is_in_steps(site)], flow)


def parameters_of(function: ast.AST) -> set[str]:
    return {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} - {"self"}


def set_later(
    name: str, flow: Flow, classes: Classes = _UNKNOWN, *, is_key: bool = False
) -> list[Site]:
    """Find what sets ``.name`` or ``['name']`` after the object was made.

    ``classes`` are those of the object, where they are known: an attribute of that name is set of
    others too. ``is_key``: it is read by ``['name']``, and what sets that comes first.
    """
    later = [each for each in flow.names.changes_of(name) if not _in_constructor(each[0])]
    found = [site for site, _, _ in flow.names.of_objects(later, classes)]
    entries = [
        site
        for site in flow.program.sites(ast.Assign, ast.AugAssign)
        for target in targets_of(site.node)
        if isinstance(target, ast.Subscript) and _names(target, name)
    ]
    found = entries if is_key and entries else [*found, *entries]
    found += flow.program.by_text("setattr", name)
    found += [
        call
        for call in flow.program.calls(*containers.FILLS)
        if isinstance(call.node, ast.Call)
        and isinstance(call.node.func, ast.Attribute)
        and last_name(filled := container_of(call.node.func.value)) == name
        and not _in_constructor(call)
        and not _is_other_variable(call, filled, flow)
    ]
    found += [
        call
        for call in flow.program.sites(ast.Call)
        if isinstance(call.node, ast.Call)
        and keyword(call.node, name) is not None
        and _sets_by_keyword(call.node, name, flow)
        and flow.is_in_steps(call)
    ]
    if name == "training":
        found += flow.program.calls("train", "eval")
    if name == "requires_grad":
        found += flow.program.calls("requires_grad_")
    return changing(found, flow)


def _is_other_variable(call: Site, filled: ast.expr, flow: Flow) -> bool:
    """Return whether a variable of a function's has the name of an attribute, and not its value."""
    if not isinstance(filled, ast.Name):
        return False
    given = flow.assigned(filled.id, call)
    return bool(given) and not any(
        (isinstance(site.node, ast.Attribute) and site.node.attr == filled.id)
        or (isinstance(site.node, ast.Subscript) and isinstance(site.node.slice, ast.Constant))
        for site in given
    )


def _sets_by_keyword(call: ast.Call, name: str, flow: Flow) -> bool:
    """`dataclasses.replace(state, slope=…)`, `options.update(slope=…)`, a helper's `**values`."""
    if last_name(call.func) in ("replace", "_replace", "evolve", "update"):
        return True
    functions = flow.names.callees(call)
    return bool(functions) and all(
        isinstance(one.node, ast.FunctionDef)
        and one.node.args.kwarg is not None
        and name not in parameters_of(one.node)
        for one in functions
    )


def _names(target: ast.Subscript, name: str) -> bool:
    key = target.slice
    return last_name(target.value) == name or (isinstance(key, ast.Constant) and key.value == name)


def _in_constructor(site: Site) -> bool:
    scope = site.scope
    return isinstance(scope, ast.FunctionDef) and scope.name in ("__init__", "__post_init__")


def find_variable(name: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find what sets a parameter, closure variable or global of the compiled frame."""
    flow = trail.flow
    start = inside(frame, flow)
    if start is None:
        return []
    given = flow.assigned(name, start)
    filled = _filled({name, *(last_name(one.node) for one in given)} - {""}, flow)
    if isinstance(trail.finding.detail, DictKeys):
        filled = [site for site in filled if not is_one_key(site) or is_conditional(site)]
    if filled:
        return filled
    globals_set = _globals_set(name, flow)
    owner = PurePath(start.module.file).stem
    globals_set += [
        site
        for site, target, _ in flow.names.attribute_changes
        if target.attr == name and last_name(target.value) == owner
    ]
    if globals_set:
        return changing(globals_set, flow)
    origins = trail.origins.entering(name, start)
    return _set_in_groups(origins, flow) or _begun(origins, start) or chosen.amount(origins, flow)


def is_one_key(site: Site) -> bool:
    """Return whether one key is taken out or set: in every step the same, if nothing decides."""
    call = site.node
    if isinstance(call, ast.Call):
        return last_name(call.func) in containers.OF_ONE_KEY
    targets = [part for part in targets_of(call) if isinstance(part, ast.Subscript)]
    return all(isinstance(part.slice, ast.Constant) for part in targets)


def _set_in_groups(origins: Sequence[Origin], flow: Flow) -> list[Site]:
    """Find `group["lr"] = …`, of a rate that an optimizer of the program's own reads there.

    Where nothing of the program's sets it, as under a scheduler of torch's, what reads it.
    """
    of_groups = [
        origin for origin in origins if origin.parts and last_name(origin.site.node) == GROUPS
    ]
    keys = {origin.parts[-1] for origin in of_groups}
    stored = [
        site
        for site in flow.program.sites(ast.Assign, ast.AugAssign)
        for target in targets_of(site.node)
        if _is_entry_of(target, keys)
    ]
    if stored:
        return changing(stored, flow)
    return unique(
        site for origin in of_groups for site in origin.way if _is_entry_of(site.node, keys)
    )


def _is_entry_of(node: ast.AST, keys: Collection[object]) -> bool:
    """Return whether ``node`` is an entry under one of ``keys``, as it is written."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and key.value in keys


def _begun(origins: Sequence[Origin], start: Site) -> list[Site]:
    """Find the number that a sum begins as, of which the compiled function gives back the rest."""
    own = [origin for origin in origins if origin.site.scope is start.scope]
    calls = {site.node for origin in own for site in origin.way if isinstance(site.node, ast.Call)}
    first = [
        origin.site
        for origin in origins
        if origin not in own and not any(site.node in calls for site in origin.way)
    ]
    is_number = all(
        isinstance(site.node, ast.Constant) and isinstance(site.node.value, int | float)
        for site in first
    )
    return unique(first) if calls and is_number else []


def _filled(names: set[str], flow: Flow) -> list[Site]:
    """Find what changes a list or dictionary that one of these variables holds, in the steps."""
    found = flow.program.methods_of(names, *containers.FILLS)
    found += [
        site
        for site in flow.program.sites(ast.Assign, ast.AugAssign)
        for target in targets_of(site.node)
        if isinstance(target, ast.Subscript) and last_name(target.value) in names
    ]
    return changing([site for site in found if flow.is_in_steps(site)], flow)


def _globals_set(name: str, flow: Flow) -> list[Site]:
    """Find the assignments by which functions change a global, or a variable of one around them."""
    return [
        found
        for found in flow.program.sites(ast.Assign, ast.AugAssign, ast.For)
        if any(
            isinstance(part, ast.Name) and part.id == name
            for target in targets_of(found.node)
            for part in ast.walk(target)
        )
        and _declares_global(found, name)
    ]


def _declares_global(site: Site, name: str) -> bool:
    return any(
        isinstance(node, ast.Global | ast.Nonlocal) and name in node.names
        for node in ast.walk(site.scope)
    )
