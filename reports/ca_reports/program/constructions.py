"""Finds the values of one field that objects of the program's classes are made with.

A class that has no `__init__` of its own gets what it declares from whoever makes it: a dataclass,
a named tuple, a model of a library's. Who calls it by place, by name or through `replace` is seen;
who unpacks arguments, or hands the class on, is said to be unseen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.calls import bound_arguments
from ca_reports.program.syntax import Site, is_constant, is_starred, keyword, last_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ca_reports.program.syntax import Program

# Bases that bring no field.
_PLAIN = frozenset(("NamedTuple", "object", "Generic", "Protocol", "ABC"))
_REPLACE = frozenset(("dataclasses.replace", "copy.replace"))
_LOOKED_AT = frozenset(("isinstance", "issubclass"))
# It makes one of the class' own defaults.
_FACTORY = "default_factory"


@dataclass(frozen=True, slots=True)
class FieldValues:
    """The ``values`` that constructions give to a field, and where one may be ``unseen``."""

    values: tuple[Site, ...]
    unseen: tuple[Site, ...]


def field_values(program: Program, field: str, owners: Collection[str]) -> FieldValues:
    """Find what the objects of ``owners``, and of what inherits from them, are made with.

    Of those that have a constructor of their own nothing is given to a field by itself.
    """
    classes = _with_heirs(program, owners)
    names = {name for name in classes if _takes_fields(program, name)}
    values: list[Site] = []
    unseen = list(_handed_on(program, names)) if names else []
    calls = [
        (site, _order(program, name)) for name in names for site in program.all_calls.get(name, ())
    ]
    calls += [(site, []) for site in _replacing(program)] if names else []
    for site, order in calls:
        call = site.node
        assert isinstance(call, ast.Call)
        given = [one for name, one in bound_arguments(call, order or ()) if name == field]
        if given:
            values += (Site(site.module, one) for one in given)
        elif is_starred(call) or (order is None and call.args):
            unseen.append(site)
    return FieldValues(tuple(values), tuple(unseen))


def _takes_fields(program: Program, owner: str) -> bool:
    """Return whether something else than the class makes its constructor, and of its fields."""
    is_made = any(
        site.node.decorator_list or any(_may_bring_fields(site, base) for base in site.node.bases)
        for site in program.classes.get(owner, ())
        if isinstance(site.node, ast.ClassDef)
    )
    return is_made and not program.method(owner, "__init__")


def _may_bring_fields(made: Site, base: ast.expr) -> bool:
    """Return whether a base may make a constructor of what the class declares.

    Torch's take their own arguments.
    """
    return last_name(base) != "object" and not made.module.full_name(base).startswith("torch.")


def _with_heirs(program: Program, owners: Collection[str]) -> set[str]:
    found = set(owners)
    while True:
        heirs = {
            name
            for name, sites in program.classes.items()
            for site in sites
            if isinstance(site.node, ast.ClassDef)
            and found & {last_name(base) for base in site.node.bases}
        }
        if heirs <= found:
            return found
        found |= heirs


def _order(program: Program, owner: str) -> list[str] | None:
    """Return the fields by their places in the constructor; None where these are not known."""
    site = next(iter(program.classes.get(owner, ())), None)
    if site is None or not isinstance(site.node, ast.ClassDef):
        return None
    found: dict[str, None] = {}
    for base in reversed(site.node.bases):
        name = last_name(base)
        if name in _PLAIN:
            continue
        inherited = _order(program, name) if name != owner else None
        if inherited is None:
            return None
        found.update(dict.fromkeys(inherited))
    made_by = [one for one in site.node.decorator_list if isinstance(one, ast.Call)]
    if any(keyword(one, "kw_only") is not None for one in made_by):
        return None
    for one in site.node.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        kind = {last_name(part) for part in ast.walk(one.annotation)}
        if "KW_ONLY" in kind:
            return None
        if "ClassVar" not in kind and not _is_left_out(one.value):
            found[one.target.id] = None
    return list(found)


def _is_left_out(value: ast.expr | None) -> bool:
    """Return whether a field is declared with ``field(init=False)``."""
    return isinstance(value, ast.Call) and is_constant(keyword(value, "init"), False)


def _replacing(program: Program) -> Iterator[Site]:
    """Yield the calls that make an object like another one: also of classes that are not known."""
    for site in program.sites(ast.Call):
        assert isinstance(site.node, ast.Call)
        function = site.node.func
        is_method = isinstance(function, ast.Attribute) and function.attr == "_replace"
        if is_method or site.module.full_name(function) in _REPLACE:
            yield site


def _handed_on(program: Program, names: Collection[str]) -> Iterator[Site]:
    """Yield where a class is a value, and not called, inherited from, or named as a type."""
    for site in program.sites(ast.Name, ast.Attribute):
        node = site.node
        assert isinstance(node, ast.Name | ast.Attribute)
        if last_name(node) not in names or not isinstance(node.ctx, ast.Load):
            continue
        parent = site.module.parents.get(node)
        is_read_from = isinstance(parent, ast.Attribute | ast.Subscript | ast.ClassDef)
        is_called = isinstance(parent, ast.Call) and (
            parent.func is node or last_name(parent.func) in _LOOKED_AT
        )
        is_default = isinstance(parent, ast.keyword) and parent.arg == _FACTORY
        if not (is_read_from or is_called or is_default or _is_type(site)):
            yield site


def _is_type(site: Site) -> bool:
    """Return whether it stands in an annotation, in the brackets of a type or beside ``|``."""
    inner: ast.AST = site.node
    for around in site.module.around(site.node):
        if isinstance(around, ast.Subscript):
            return True
        if isinstance(around, ast.AnnAssign):
            return inner is around.annotation
        if isinstance(around, ast.arg | ast.ExceptHandler | ast.match_case):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            return inner is around.returns
        if isinstance(around, ast.stmt):
            return False
        inner = around
    return False
