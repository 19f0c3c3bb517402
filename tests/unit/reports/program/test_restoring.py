"""Functions that leave a setting of torch's changed."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from ca_reports.program.restoring import unrestored
from ca_reports.program.syntax import Module, Site, last_name

SETTERS = ("set_default_dtype",)


def left(text: str) -> list[int]:
    """The lines to edit of what setters in ``text`` leave."""
    source = dedent(text)
    module = Module("train.py", source, ast.parse(source))
    calls = [
        node
        for node in module.nodes
        if isinstance(node, ast.Call) and last_name(node.func) in SETTERS
    ]
    found = [unrestored(Site(module, call), SETTERS) for call in calls]
    return [one.line.line for one in found if one is not None]


@pytest.mark.parametrize(
    ("rest", "lines"),
    [
        ("return x.mean()", [2]),
        ("y = x.mean()\n    if y > 0:\n        return y\n    set_default_dtype(before)", [2]),
        # It is put back, or it is all that the function does.
        ("y = x.mean()\n    set_default_dtype(before)\n    return y", []),
        ("try:\n        return x.mean()\n    finally:\n        set_default_dtype(before)", []),
        ("pass; yield\n    set_default_dtype(before)", []),
    ],
)
def test_a_function(rest: str, lines: list[int]) -> None:
    assert left(f"def exact(x):\n    set_default_dtype(double)\n    {rest}\n") == lines


def test_what_only_sets_is_meant_to() -> None:
    assert left("def prepare():\n    print()\n    set_default_dtype(double)\n") == []
    assert left("set_default_dtype(double)\nprint()\n") == []
    assert left("def f(x):\n    if x:\n        set_default_dtype(double)\n    return x\n") == []


@pytest.mark.parametrize(
    ("ends", "lines"),
    [
        ("if error:\n            set_default_dtype(self.before)", [6]),
        ("if error:\n            set_default_dtype(self.before)\n            log(error)", []),
        ("if error:\n            pass\n        else:\n            set_default_dtype(x)", []),
        ("set_default_dtype(self.before)", []),
        ("undo(self.before)", []),
    ],
)
def test_a_context_manager(ends: str, lines: list[int]) -> None:
    source = """\
    class Exact:
        def __enter__(self):
            self.before = get_default_dtype()
            set_default_dtype(double)
        def __exit__(self, kind, error, trace):
            {ends}
    """
    assert left(dedent(source).replace("{ends}", ends)) == lines
