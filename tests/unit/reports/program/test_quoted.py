"""The statement of a line that a log quotes."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.quoted import filled, lookups, statement


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


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if who in self.seen:", ["who: self.seen"]),
        ("elif who not in self.seen['x']:", ["who: self.seen['x']", "'x': self.seen"]),
        ("return self.seen[who]", ["who: self.seen"]),
        ("self.seen[who, 3] = style", ["who: self.seen", "3: self.seen"]),
        ("old = seen.setdefault(self.who, style)", ["self.who: seen"]),
        # It goes on in the next line.
        ("mask = self.masks.get(size, torch.zeros(", ["size: self.masks"]),
        ("total = a[self.seen[", []),
        ("for who in self.seen:", []),
        ('print("who in self.seen")', []),
        ("seen.count(who)", []),
        ("'", []),
    ],
)
def test_what_a_line_looks_up(code: str, expected: list[str]) -> None:
    found = [f"{ast.unparse(key)}: {ast.unparse(holder)}" for key, holder in lookups(code)]
    assert found == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("self.kept.append(x)", ["self.kept"]),
        ("kept += [x]", ["kept"]),
        ("self.kept.extend(torch.stack([", ["self.kept"]),
        ("self.kept.update({", ["self.kept"]),
        ("kept -= 1", []),
        ("self.kept.pop()", []),
        ("print('self.kept.append(x)')", []),
    ],
)
def test_what_a_line_fills(code: str, expected: list[str]) -> None:
    assert [ast.unparse(one) for one in filled(code)] == expected
