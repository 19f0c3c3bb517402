"""Whose variable a name is, against Python's own tables of symbols."""

from __future__ import annotations

import ast
import symtable

import pytest

from ca_reports.program.scopes import Scope, Scopes

SOURCE = """\
import os.path, sys as system
from torch import *
n = 0

def outer(a, *b, c=n, **d):
    n = 1
    e: int
    def inner(f):
        nonlocal n
        global g
        n = g = f
        return a
    class Inner(Base):
        n = 2
        def method(self):
            return n, Inner
    try:
        pass
    except ValueError as error:
        del error
    match a:
        case [h, *i] | {"k": h, **i}:
            pass
        case Point() as j:
            pass
    for k, (l, *m) in b:
        pass
    with open(a) as o, p as q[0]:
        pass
    return [(r := s) for s in b if s], lambda t: t + n
"""


# What a function binds by `global`, in the scope that Python's table does not have it in.
BOUND_ELSEWHERE = {"top": {"g"}}


def scopes_by_name(scopes: Scopes) -> dict[str, Scope]:
    names = {ast.Module: "top", ast.Lambda: "lambda"}
    return {
        str(names.get(type(node), getattr(node, "name", ""))): scope
        for node, scope in scopes.own.items()
    }


def test_each_variable_is_in_the_scope_that_python_gives_it() -> None:
    """Comprehensions are scopes of their own here in every version of Python."""
    found = scopes_by_name(Scopes(ast.parse(SOURCE)))
    tables = [symtable.symtable(SOURCE, "<made>", "exec")]
    compared = 0
    while tables:
        table = tables.pop()
        tables += table.get_children()
        name = table.get_name()
        if name not in found:
            continue
        own = {
            one.get_name()
            for one in table.get_symbols()
            if one.is_local() and not one.get_name().startswith((".", "__"))
        }
        assert {*found[name].bindings} == own | BOUND_ELSEWHERE.get(name, set())
        compared += 1
    assert compared == 6


def test_names_are_looked_up_from_inside() -> None:
    found = scopes_by_name(Scopes(ast.parse(SOURCE)))
    outer, inner, method = found["outer"], found["inner"], found["method"]
    module = outer.outer
    assert module is not None
    assert inner.owner("n") is outer
    assert inner.owner("g") is module
    assert method.owner("n") is outer, "a class is passed over"
    assert found["Inner"].owner("n") is found["Inner"]
    assert method.owner("os") is module
    assert method.owner("len") is None
    assert found["lambda"].owner("t") is found["lambda"]


def test_what_binds_a_variable_is_in_the_order_of_the_source() -> None:
    scopes = Scopes(ast.parse("x = 1\nfor x in y: pass\ndel x\ndef x(): pass\n"))
    bound = scopes.module.bindings["x"]
    assert [type(one) for one in bound] == [ast.Name, ast.Name, ast.FunctionDef]
    assert all(scopes.binder[one] is scopes.module for one in bound)


@pytest.mark.parametrize(("source", "binds"), [("x = [y := 1 for z in w]", {"x", "y"})])
def test_a_walrus_binds_outside_of_a_comprehension(source: str, binds: set[str]) -> None:
    scopes = Scopes(ast.parse(source))
    assert {*scopes.module.bindings} == binds
    (inner,) = [scope for scope in scopes.own.values() if scope is not scopes.module]
    assert {*inner.bindings} == {"z"}
    assert inner.frame is scopes.module is inner.function
    assert [*inner.around] == [inner, scopes.module]
