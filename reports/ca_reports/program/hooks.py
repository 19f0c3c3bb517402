"""Finds what a hook does besides looking, for which it may not run in every step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Literal

from ca_reports.program.positions import own_nodes, walk
from ca_reports.program.syntax import Definition, base_name, bound_function, is_constant, last_name
from ca_reports.torchlib import containers, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.names import Names

HookEffect = Literal["gives_another", "keeps", "adds_up", "in_place", "unseen"]

# What makes a list longer, a file longer, or a page of a dashboard.
_KEEPING = frozenset(
    (
        *containers.PUTS_IN,
        *("put", "print", "write", "writelines", "writerow", "save", "dump"),
        *("add_scalar", "add_histogram", "log", "debug", "info", "warning", "observe"),
    )
)
_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Takes the tensors first, and then the hook.
_OF_SEVERAL = "register_multi_grad_hook"
# How deep what a hook calls is looked into.
_CALLS = 3


def effect_of(registers: ast.AST, names: Names) -> HookEffect | None:
    """Return what the hook does that ``registers`` makes; None where nothing speaks against it.

    It gives another gradient, keeps or tells what it gets, more of it with each step, adds it up,
    or changes it in place. One that only overwrites what it stored the last time does none of it.
    What a hook does that the source does not show is ``unseen``.
    """
    for given in _registered(registers, names, _CALLS):
        hooks = _candidates(given, names)
        if not hooks:
            return "unseen"
        for function in hooks:
            effect = _effect(function, names, _CALLS)
            if effect:
                return effect
    return None


def _registered(registers: Any, names: Names, calls: int) -> Iterator[Any]:
    """Yield what is registered as a hook, by the statement itself or by the functions it calls."""
    within = [call for call in walk(registers) if isinstance(call, ast.Call)]
    found = [given for call in within if (given := _hook_of(call)) is not None]
    yield from found
    if found or not calls:
        return
    for call in within:
        called: list[Any] = [site.node for site in names.meant_by(call.func)]
        if len(called) == 1 and isinstance(called[0], Definition):
            for statement in called[0].body:
                yield from _registered(statement, names, calls - 1)


def _hook_of(call: ast.Call) -> ast.expr | None:
    """Return the hook that a call registers; None if it registers none, or names it elsewhere."""
    name = last_name(call.func)
    if not (name.startswith("register_") and name.endswith("hook")):
        return None
    place = 1 if name == _OF_SEVERAL else 0
    return call.args[place] if len(call.args) > place else None


def _candidates(given: Any, names: Names) -> list[Any]:
    """Return the functions that a hook may be; none where the source has none such.

    What has the name of no function is an object: any ``__call__`` of the program may be its.
    """
    found = [*_functions(given, names)]
    if found or isinstance(given, ast.Lambda):
        return found
    named = names.meant_by(given.func if isinstance(given, ast.Call) else given)
    return [site.node for site in (*named, *names.program.functions.get("__call__", ()))]


def _functions(given: Any, names: Names) -> Iterator[Any]:
    """Yield the functions that a hook may be: by its name, or made by a call, or written there."""
    if isinstance(given, ast.Lambda):
        yield given
        return
    bound = bound_function(given)
    if bound is not None:
        yield from _functions(bound, names)
        return
    is_call = isinstance(given, ast.Call)
    found: list[Any] = [site.node for site in names.meant_by(given.func if is_call else given)]
    if len(found) != 1:
        return
    if not is_call:
        yield found[0]
        return
    # What the call returns is made in there.
    for part in walk(*found[0].body):
        if isinstance(part, Definition | ast.Lambda):
            yield part


def _effect(function: Any, names: Names, calls: int) -> HookEffect | None:
    given = _given(function, names)
    if isinstance(function, ast.Lambda):
        return _of_result(function.body, given, names, calls) or _of_parts(
            walk(function.body), given, names, calls
        )
    own = _body(function)
    for part in own:
        if isinstance(part, ast.Return) and part.value is not None:
            effect = _of_result(part.value, given, names, calls)
            if effect:
                return effect
    return _of_parts(own, given, names, calls)


def _of_result(value: Any, given: set[str], names: Names, calls: int) -> HookEffect | None:
    """Return what is known of a hook by what it returns: nothing, what it was given, or another."""
    if is_constant(value, None) or (isinstance(value, ast.Name) and value.id in given):
        return None
    if isinstance(value, ast.Call):
        if _keeps(value):
            return "keeps"
        inner = [*_functions(value.func, names)] if calls else []
        if inner:  # the hook returns what that returns
            effects = (_effect(one, names, calls - 1) for one in inner)
            return next(filter(None, effects), None)
    return "gives_another"


def _of_parts(parts: Iterable[Any], given: set[str], names: Names, calls: int) -> HookEffect | None:
    for part in parts:
        if isinstance(part, ast.AugAssign):
            return "in_place" if base_name(part.target) in given else "adds_up"
        if not isinstance(part, ast.Call):
            continue
        if _keeps(part):
            return "keeps"
        if (effect := _of_in_place(part, given)) is not None:
            return effect
        for inner in _functions(part.func, names) if calls else ():
            # What it returns is not what the hook does.
            effect = _of_parts(_body(inner), _given(inner, names), names, calls - 1)
            if effect:
                return effect
    return None


def _of_in_place(call: ast.Call, given: set[str]) -> HookEffect | None:
    """Return what an operation like ``total.add_(…)`` does: of its own, or to what is given."""
    name = last_name(call.func)
    if not (isinstance(call.func, ast.Attribute) and name.endswith("_")) or name.endswith("__"):
        return None
    if base_name(call.func.value) in given:
        return "in_place"
    return None if name in tensors.OVERWRITES else "adds_up"


def _given(function: Any, names: Names) -> set[str]:
    """Return the parameters that a hook is given, without the one of its own object."""
    sites = names.program.functions.get(getattr(function, "name", ""), ())
    receivers = {
        one.module.receiver(one.node)
        for one in sites
        if one.node is function and isinstance(one.node, Definition)
    }
    return {one.arg for one in function.args.args} - receivers - {"self", "cls"}


def _keeps(call: Any) -> bool:
    return last_name(call.func) in _KEEPING


def _body(function: Any) -> list[Any]:
    """Return the parts of a function that are not of one within it."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    return list(own_nodes(*body, apart=_APART))
