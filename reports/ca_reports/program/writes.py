"""Which tensors a function writes to: a copy in the place of one would get what is written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.syntax import Site, last_name, parameters_of
from ca_reports.torchlib.tensors import OF_SAME_MEMORY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ca_reports.program.syntax import Module

# How deep a tensor is followed into the functions that it is passed to.
_CALLS = 4
# What gives each tensor of a list.
_EACH = ("zip", "enumerate", "reversed", "list", "tuple")


def written_at(
    module: Module,
    scope: ast.AST,
    names: Iterable[str],
    functions: Callable[[str], Iterable[Site]],
    calls: int = _CALLS,
    always: Iterable[str] = (),
) -> Site | None:
    """Return where a function, or a module, writes to the memory of a variable of ``names``.

    Those in ``always`` also after they are assigned. ``functions`` gives the program's by name.
    """
    held = set(names)
    for node in _in_order(scope):
        if _writes(module, node, held):
            return Site(module, node)
        if isinstance(node, ast.Call) and calls:
            found = _in_called(node, held, functions, calls - 1)
            if found is not None:
                return found
        _follow(module, node, scope, held)
        held |= set(always)
    return None


def shared_names(module: Module, node: ast.AST) -> tuple[str, ...]:
    """Return the variables that may hold one tensor since the line of ``node``.

    Those in `b = a if … else …`, in `b = a`, and in `a = b = zeros(…)`.
    """
    line: ast.AST | None = node
    while line is not None and not isinstance(line, ast.stmt):
        line = module.parents.get(line)
    if not isinstance(line, ast.Assign):
        return ()
    chosen = line.value
    values = [chosen.body, chosen.orelse] if isinstance(chosen, ast.IfExp) else [chosen]
    given = [one.id for one in values if isinstance(one, ast.Name)]
    targets = [one.id for one in line.targets if isinstance(one, ast.Name)]
    return tuple(dict.fromkeys((*given, *targets))) if given or len(targets) > 1 else ()


def _in_order(scope: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the statements and expressions in a function's body, in the order of the source."""
    body = scope.body if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else [scope]
    waiting: list[ast.AST] = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        waiting += reversed([*ast.iter_child_nodes(node)])


def _follow(module: Module, node: ast.AST, scope: ast.AST, held: set[str]) -> None:
    """Add what ``node`` gives the same memory to ``held``, and take out what it gives another."""
    if isinstance(node, ast.For) and _is_held(node.iter, held):
        held |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if not isinstance(target, ast.Name):
            continue
        if _is_held(node.value, held):
            held.add(target.id)
        elif module.parents.get(node) is scope:
            held.discard(target.id)


def _writes(module: Module, node: ast.AST, held: set[str]) -> bool:
    if isinstance(node, ast.AugAssign):
        return _is_held(node.target, held)
    if isinstance(node, ast.Subscript | ast.Attribute):
        return isinstance(node.ctx, ast.Store) and _is_held(node, held)
    if not isinstance(node, ast.Call):
        return False
    named = {one.arg: one.value for one in node.keywords if one.arg is not None}
    if "out" in named and _is_held(named["out"], held):
        return True
    is_first = bool(node.args) and _is_held(node.args[0], held)
    in_place = named.get("inplace")
    if is_first and isinstance(in_place, ast.Constant) and in_place.value is True:
        return True
    name = last_name(node.func)
    if not is_in_place(name) or name == "requires_grad_":
        return False
    if module.full_name(node.func).startswith("torch."):
        return is_first
    return isinstance(node.func, ast.Attribute) and _is_held(node.func.value, held)


def _in_called(
    call: ast.Call, held: set[str], functions: Callable[[str], Iterable[Site]], calls: int
) -> Site | None:
    """Return where a function of the program's writes to what ``call`` gives it."""
    if not isinstance(call.func, ast.Name):
        return None
    for site in functions(call.func.id):
        if not isinstance(site.node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        given = zip(parameters_of(site.node, by_place=True), call.args, strict=False)
        passed = {name for name, value in given if _is_held(value, held)}
        passed |= {one.arg for one in call.keywords if one.arg and _is_held(one.value, held)}
        found = written_at(site.module, site.node, passed, functions, calls) if passed else None
        if found is not None:
            return found
    return None


def _is_held(value: ast.expr, held: set[str]) -> bool:
    """Return whether an expression may be of the memory of one of ``held``."""
    if isinstance(value, ast.Name):
        return value.id in held
    if isinstance(value, ast.Subscript):
        return _is_held(value.value, held)
    if isinstance(value, ast.Attribute):
        return value.attr in VIEWS and _is_held(value.value, held)
    if isinstance(value, ast.IfExp):
        return _is_held(value.body, held) or _is_held(value.orelse, held)
    if isinstance(value, ast.Tuple | ast.List):
        return any(_is_held(one, held) for one in value.elts)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        return value.func.id in _EACH and any(_is_held(one, held) for one in value.args)
    if not isinstance(value.func, ast.Attribute):
        return False
    name = value.func.attr
    return (name in OF_SAME_MEMORY or is_in_place(name)) and _is_held(value.func.value, held)


def is_in_place(name: str) -> bool:
    """Return whether a method of a tensor writes to it, by its name: `add_`."""
    return name.endswith("_") and not name.endswith("__")
