"""Where values come from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.origins import Origins
from ca_reports.program.syntax import Site
from tests.unit.reports.program.walked import flow_of

if TYPE_CHECKING:
    from pathlib import Path


def origins_of(folder: Path, text: str) -> list[str]:
    """The code that the argument of `asked(...)` comes from."""
    flow = flow_of(folder, text)
    (call,) = flow.program.calls("asked")
    assert isinstance(call.node, ast.Call)
    found = Origins(flow).of(Site(call.module, call.node.args[0]))
    return [ast.unparse(one.site.node) + str(list(one.parts) or "") for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = made(3)\nasked(x)\n", ["made(3)"]),
        ("x = made(3)\ny = x\nasked(y)\n", ["made(3)"]),
        ("x = a(1) if flag() else b(2)\nasked(x)\n", ["a(1)", "b(2)"]),
        ("x, y = a(1), b(2)\nasked(y)\n", ["b(2)"]),
        ("x, y = both()\nasked(y)\n", ["both()[1]"]),
        ("d = {'n': a(1), 'm': b(2)}\nasked(d['m'])\n", ["b(2)"]),
        ("d = {}\nd['m'] = b(2)\nasked(d['m'])\n", ["{}['m']", "b(2)"]),
        ("for x in rows():\n    asked(x)\n", ["rows()[None]"]),
        ("def f(x):\n    asked(x)\n\nf(a(1))\nf(x=b(2))\n", ["a(1)", "b(2)"]),
        ("def f(x=3):\n    asked(x)\n\nf()\n", ["3"]),
        ("def f(n):\n    return made(n)\n\nasked(f(3))\n", ["made(n)"]),
        (
            "class C:\n    def __init__(self):\n        self.x = made(3)\n"
            "\n    def f(self):\n        asked(self.x)\n",
            ["made(3)"],
        ),
        ("x = x\nasked(x)\n", []),
    ],
)
def test_a_value_is_followed_to_where_it_is_made(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    assert origins_of(tmp_path, text) == expected


def test_a_key_that_a_dictionary_lacks_ends_there(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, "d = {'n': a(1)}\nasked(d['m'])\n")
    (call,) = flow.program.calls("asked")
    assert isinstance(call.node, ast.Call)
    (found,) = Origins(flow).of(Site(call.module, call.node.args[0]))
    assert found.is_missing
