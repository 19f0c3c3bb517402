"""Remedy for compiled wrappers that a decorator makes of several functions.

They are one code with another function in its closure, so all versions count against one limit.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.changes import free_variable
from ca_reports.causes.located.number_advice import compiled_function
from ca_reports.causes.remedies import Remedy
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.syntax import Definition, Site, last_name, parameters_of
from ca_reports.sentences.places import in_brief
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail

_COMPILE = "torch.compile"


def remedy(trail: Trail) -> Remedy | None:
    """Return that the functions are to be compiled before they are wrapped; None for other code."""
    path = guard_path(trail.finding.key)
    wrapper = compiled_function(trail)
    if path.attribute != "__code__" or wrapper is None:
        return None
    held = path.holder
    name = free_variable(held, trail.compiled_at, trail.flow) or next(iter(held.names), "")
    outer = wrapper.module.scope(wrapper.node)
    if not isinstance(wrapper.node, Definition) or not isinstance(outer, Definition):
        return None
    if name not in parameters_of(outer) or name in parameters_of(wrapper.node):
        return None
    functions = set(_wrapped(Site(wrapper.module, outer), trail))
    if len(functions) < 2:
        return None
    own = wrapper.node.name
    sentence = (
        f"compile `{name}` itself before `{outer.name}` wraps it, and leave `{own}` uncompiled"
        f"{_compiled_at(wrapper, outer)}: {counted(len(functions), 'function')} share the code of "
        f"`{own}`, and with it one recompile_limit; compiled alone, each has its own"
    )
    return Remedy(sentence, "compile_wrapped")


def _wrapped(maker: Site, trail: Trail) -> Iterator[str]:
    """Yield the functions that ``maker`` wraps, as a decorator or by a call.

    A function that returns it, for its own arguments, is called first: ``@stage("drag")``.
    """
    assert isinstance(maker.node, Definition)
    around = maker.module.scope(maker.node)
    name = around.name if isinstance(around, Definition) else maker.node.name
    for site in (one for found in trail.program.functions.values() for one in found):
        for decorator in getattr(site.node, "decorator_list", ()):
            if _makes(decorator, name, is_called=isinstance(around, Definition)):
                yield getattr(site.node, "name", "")
    for call in trail.program.sites(ast.Call):
        match call.node:
            case ast.Call(func=made, args=[ast.Name(id=given), *_]):
                if _makes(made, name, is_called=isinstance(around, Definition)):
                    yield given


def _makes(node: ast.expr, name: str, *, is_called: bool) -> bool:
    """Return whether an expression is the function called ``name``, or what it returns."""
    if is_called:
        return isinstance(node, ast.Call) and last_name(node.func) == name
    return not isinstance(node, ast.Call) and last_name(node) == name


def _compiled_at(wrapper: Site, outer: Definition) -> str:
    """Return the place of the `torch.compile` of the wrapper in ``outer``; empty if not there."""
    module = wrapper.module
    assert isinstance(wrapper.node, Definition)
    for node in ast.walk(outer):
        called = node.func if isinstance(node, ast.Call) else node
        if not isinstance(called, ast.expr) or module.full_name(called) != _COMPILE:
            continue
        given = node.args[:1] if isinstance(node, ast.Call) else []
        is_given = bool(given) and last_name(given[0]) == wrapper.node.name
        if is_given or node in wrapper.node.decorator_list:
            return f" ({in_brief(module.frame(called.lineno))})"
    return ""
