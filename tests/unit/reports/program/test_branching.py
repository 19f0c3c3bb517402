"""Tests of what a branch does, on which depends what can take its place."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from ca_reports.program.branching import branch_at, effect_of
from ca_reports.program.syntax import Module


def module(body: str) -> Module:
    imports = "import torch\nimport torch.nn.functional as F\n"
    text = f"{imports}def f(self, x):\n{indent(dedent(body), '    ')}"
    return Module("train.py", text, ast.parse(text))


@pytest.mark.parametrize(
    ("body", "effect"),
    [
        ("while x.norm() > 1:\n    x = x / 2", "repeats"),
        ("for b in x:\n    if x.sum() > 1:\n        break", "leaves_loop"),
        (
            "for b in x:\n    if x.sum() > 1:\n        y = 1\n    else:\n        break",
            "leaves_loop",
        ),
        ("for b in x:\n    if x.sum() > 1:\n        with b:\n            break", "leaves_loop"),
        ("for b in x:\n    if x.sum() > 1:\n        continue", "skips_round"),
        ("for b in x:\n    if self.on and x.sum() > 1:\n        continue", "skips_round"),
        ("if x.sum() > 1:\n    for b in x:\n        break", "chooses"),
        ("if x.isnan().any():\n    raise ValueError('nan')", "raises"),
        ("assert x.sum() > 0", "raises"),
        ("if x.sum() > 1:\n    print('large', x)", "runs_calls"),
        ("if x.sum() > 1:\n    x = x / 2", "chooses"),
        ("if x.sum() > 1:\n    self.hits += 1\n    return x", "keeps"),
        ("if x.sum() > 1:\n    self.last = x", "keeps"),
        ("if x.sum() > 1:\n    return x\nelse:\n    print(x)", "chooses"),
        ("y = x if x.sum() > 1 else -x", "chooses"),
        ("y = self.on and x.sum() > 1", "chooses"),
    ],
)
def test_a_branch_is_told_by_what_it_does(body: str, effect: str) -> None:
    known = module(body)
    branches = (branch_at(known, line) for line in range(4, 9))

    assert [effect_of(one) for one in branches if one is not None] == [effect]


def test_a_test_over_several_lines_is_known_by_each() -> None:
    known = module("if (\n    self.training\n    and x.sum() > 1\n):\n    x = x / 2\nreturn x")

    assert isinstance(branch_at(known, 4), ast.If)
    assert branch_at(known, 6) is branch_at(known, 4)
    assert branch_at(known, 8) is None
    assert branch_at(known, 9) is None
