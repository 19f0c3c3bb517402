"""Calls of what `functools.partial` makes on the spot."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.edits import add_argument, append, applied_to
from ca_reports.program.files import parsed
from ca_reports.program.syntax import Module

FROM = "from functools import partial\n"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (FROM + "partial(loss, net)(x)", "loss(net, x)"),
        (FROM + "partial(loss, net, rate=2)(x, scale=3)", "loss(net, x, rate=2, scale=3)"),
        (FROM + "partial(loss, rate=2)(x, rate=3)", "loss(x, rate=3)"),
        (FROM + "partial(loss, *parts, **options)(*rest, **more)",
         "loss(*parts, *rest, **options, **more)"),
        (FROM + "partial(partial(self.loss, net), x)()", "self.loss(net, x)"),
        (FROM + "partial(partial, loss)(net)(x)", "loss(net, x)"),
        ("from functools import partial as bound\nbound(loss, net)(x)", "loss(net, x)"),
        ("import functools\nfunctools.partial(loss, net)(x)", "loss(net, x)"),
        ("import functools as tools\ntools.partial(loss, net)(x)", "loss(net, x)"),
    ],
)  # fmt: skip
def test_a_partial_that_is_called_on_the_spot_is_a_call_of_its_function(
    text: str, meant: str
) -> None:
    tree = parsed(text)
    assert tree is not None
    assert ast.unparse(tree.body[-1]) == meant


@pytest.mark.parametrize(
    "text",
    [
        FROM + "partial(loss, net)",  # called elsewhere, or never
        FROM + "partial(*parts)(x)",
        "from jax.tree_util import partial\npartial(loss, net)(x)",
        "partial(loss, net)(x)",
        FROM + "def partial(loss, net):\n    return net\npartial(loss, net)(x)",
        FROM + "for partial in every:\n    partial(loss, net)(x)",
        "import functools\nfunctools.reduce(loss, net)(x)",
    ],
)
def test_any_other_call_stays(text: str) -> None:
    tree = parsed(text)
    assert tree is not None
    assert ast.unparse(tree) == ast.unparse(ast.parse(text))


def test_python_runs_the_one_as_the_other() -> None:
    text = FROM + "said = partial(partial(dict, a=1, b=2), c=3)(b=4, d=5)"
    tree = parsed(text)
    assert tree is not None
    as_written: dict[str, object] = {}
    joined: dict[str, object] = {}
    exec(text, as_written)
    exec(compile(tree, "joined", "exec"), joined)
    assert joined["said"] == as_written["said"] == {"a": 1, "b": 4, "c": 3, "d": 5}


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("partial(loss, net, x)()", "partial(loss, net, x, dynamic=True)()"),
        ("partial(loss, net)(x)", "partial(loss, net)(x, dynamic=True)"),
        ("partial(loss)()", "partial(loss)(dynamic=True)"),
    ],
)
def test_an_argument_is_added_where_it_arrives(call: str, changed: str) -> None:
    file, node = _call(call)
    edits = add_argument(file, node, "dynamic=True")
    assert applied_to(file.text, edits) == FROM + changed


def test_an_argument_is_changed_where_it_stands() -> None:
    file, node = _call("partial(loss, net)(x)")
    edits = (*append(file, node.args[0], ".eval()"), *append(file, node.args[1], ".float()"))
    assert applied_to(file.text, edits) == FROM + "partial(loss, net.eval())(x.float())"


def _call(call: str) -> tuple[Module, ast.Call]:
    text = FROM + call
    tree = parsed(text)
    assert tree is not None
    statement = tree.body[-1]
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    return Module("train.py", text, tree), statement.value
