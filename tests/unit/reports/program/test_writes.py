"""Where a function writes to the memory of what it is given."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from ca_reports.program.syntax import Module, Site
from ca_reports.program.writes import shared_names, written_at


def line(body: str, more: str = "") -> int | None:
    source = f"import torch\n\n\ndef used(x, y):\n{indent(dedent(body), '    ')}\n{more}"
    module = Module("train.py", source, ast.parse(source))
    found = [one for one in module.tree.body if isinstance(one, ast.FunctionDef)]
    functions = {one.name: [Site(module, one)] for one in found}
    (used,) = functions["used"]
    at = written_at(module, used.node, {"x"}, lambda name: functions.get(name, []))
    return None if at is None else at.line


@pytest.mark.parametrize(
    "body",
    [
        "x += y",
        "x[0] = y",
        "x[:, 1] += y",
        "x.data = y",
        "x.add_(y)",
        "x[0].view(-1).mul_(y)",
        "x.data.mul_(y).add_(1)",
        "torch.add(y, 1, out=x)",
        "torch.relu_(x)",
        "torch.nn.functional.relu(x, inplace=True)",
        "torch._foreach_add_(x, y)",
        "z = x.view(-1)\nz += y",
        "z = y if y is None else x\nz.fill_(0)",
        "for part, other in zip(x, y):\n    part.copy_(other)",
        "if y:\n    def inner():\n        x.zero_()\n    inner()",
    ],
)
def test_what_writes(body: str) -> None:
    last = 4 + len(body.splitlines())
    assert line(body + "\nreturn y") in range(5, last + 1)


@pytest.mark.parametrize(
    "body",
    [
        "y += x",
        "y[x] = 0",
        "x = x + y\nx += y",
        "z = x.clone()\nz.add_(y)",
        "z = torch.zeros_like(x)\nz.copy_(x)",
        "self.seen.append_(x)",
        "x.__add__(y)",
        "return x.detach() * y",
    ],
)
def test_what_only_reads(body: str) -> None:
    assert line(body) is None


def test_what_it_calls_writes() -> None:
    helper = "\ndef fill(target, value):\n    target.copy_(value)\n"
    assert line("fill(x, y)", helper) == 8
    assert line("fill(value=y, target=x)", helper) == 8
    assert line("fill(y, x)", helper) is None


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("b = a", ("a", "b")),
        ("b = f(a) if c else a", ("a", "b")),
        ("b = c = zeros(3)", ("b", "c")),
        ("b = f(a)", ()),
        ("b.x = f(a)", ()),
        ("net(a, a)", ()),
    ],
)
def test_variables_that_may_hold_one_tensor(line: str, names: tuple[str, ...]) -> None:
    module = Module("train.py", line, ast.parse(line))
    deepest = module.nodes[-1]
    assert shared_names(module, module.tree.body[0]) == names
    assert shared_names(module, deepest) == names
