"""The statement of a line that a log quotes."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.quoted import statement


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("    counts[int(x.item())] += 1", ast.AugAssign),
        ("if x.item() > 1:", ast.If),
        ("for one in x.tolist():", ast.For),
        ("return x", ast.Return),
    ],
)
def test_a_whole_line_is_a_statement(code: str, kind: type[ast.AST]) -> None:
    found = statement(code)
    assert found is not None
    assert isinstance(found.node, kind)


@pytest.mark.parametrize("code", ["", "x.item(),", "else:", "total = max(", "a = 1; b = 2", "\0"])
def test_a_part_of_one_is_none(code: str) -> None:
    found = statement(code)
    assert found is None or isinstance(found.node, ast.Expr)
