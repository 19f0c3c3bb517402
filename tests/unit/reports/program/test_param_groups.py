"""What is a parameter group of an optimizer."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.param_groups import is_group
from ca_reports.program.syntax import Module


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('optimizer.param_groups[0]["lr"] = 1', True),
        ('for group in optimizer.param_groups:\n    group["lr"] = 1', True),
        ('for i, group in enumerate(self.opt.param_groups):\n    group["lr"] = rates[i]', True),
        ('first = optimizer.param_groups[0]\nfirst["lr"] = 1', True),
        ('old = [group["lr"] for group in optimizer.param_groups]', True),
        ('logs["lr"] = 1', False),
        ('for group in groups:\n    group["lr"] = 1', False),
        ('for group in optimizer.param_groups:\n    logs["lr"] = group', False),
    ],
)
def test_a_group_is_an_entry_or_what_is_set_to_one(text: str, expected: bool) -> None:
    module = Module("train.py", text, ast.parse(text))
    (entry,) = (
        node
        for node in module.nodes
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == "lr"
    )
    assert is_group(entry.value, module) is expected
