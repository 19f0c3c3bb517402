"""Where nodes stand in a text that ast counts in bytes, and tokens between them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.positions import Text, children, walk

if TYPE_CHECKING:
    from collections.abc import Callable


def only(tree: ast.AST, kind: type[ast.AST]) -> ast.AST:
    return next(node for node in ast.walk(tree) if isinstance(node, kind))


@pytest.mark.parametrize(
    ("source", "kind", "code"),
    [
        ("x = 'ünï' + f(1)", ast.Call, "f(1)"),  # columns are bytes
        ("x = (1, 2)", ast.Tuple, "1, 2"),
        ("x = ( 1, 2, )", ast.Tuple, "1, 2,"),
        ("x = (1), (2)", ast.Tuple, "(1), (2)"),
        ("x = 1, 2", ast.Tuple, "1, 2"),
        ("y = sum(i for i in x)", ast.GeneratorExp, "i for i in x"),
        ("y = (i for i in x)", ast.GeneratorExp, "i for i in x"),
        ("x = (a + b)", ast.BinOp, "a + b"),
        ("@d\ndef f(a, b=2):\n    pass", ast.FunctionDef, "def f(a, b=2):\n    pass"),
        ("def f(a, b=2): pass", ast.arguments, "a, b=2"),
        ("y = [i for i in x if i]", ast.comprehension, "i in x if i"),
        ("with a as b: pass", ast.withitem, "a as b"),
        ("f(a=1)", ast.keyword, "a=1"),
        ("if a:\r\n    b = 1\r\n", ast.Assign, "b = 1"),
    ],
)
def test_the_code_of_a_node_is_its_text(source: str, kind: type[ast.AST], code: str) -> None:
    assert Text(source).code(only(ast.parse(source), kind)) == code


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("x = ((a + b)) * 2", "((a + b))"),
        ("x = f(a + b)", "a + b"),
        ("x = f((a + b))", "(a + b)"),
        ("x = y[(a + b)]", "(a + b)"),
        ("return_ = not (a + b)", "(a + b)"),
        ("x = (a + b).sum()", "(a + b)"),
    ],
)
def test_brackets_around_a_node_are_its_own_unless_a_call_has_them(source: str, whole: str) -> None:
    text = Text(source)
    operations = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.BinOp)]
    start, end = text.whole(operations[-1])
    assert source[start:end] == whole


def test_a_function_begins_at_its_decorators() -> None:
    source = "x = 1\n@a.b\n@ (c)\ndef f():\n    pass\n"
    assert source[Text(source).begin(only(ast.parse(source), ast.FunctionDef)) :].startswith("@a.b")


def test_an_operator_has_no_place() -> None:
    with pytest.raises(ValueError, match="Add has no place"):
        Text("a + b").span(only(ast.parse("a + b"), ast.Add))
    with pytest.raises(ValueError, match="arguments has no place"):
        Text("def f(): pass").span(only(ast.parse("def f(): pass"), ast.arguments))


@pytest.mark.parametrize(
    ("source", "answer", "expected"),
    [
        ("if x:\n\ty = 1\n", lambda text: text.unit, "\t"),
        ("x = 1\n", lambda text: text.unit, "    "),
        ("x = 1\r\n", lambda text: text.newline, "\r\n"),
        ("x = 1", lambda text: text.next_line(0), 5),
        ("x = 1\r\ny", lambda text: text.next_line(0), 7),
        ("x = f(a)  # b\n# c\n", lambda text: text.comments(0, 20), ["# b", "# c"]),
        ("x = f(a)", lambda text: text.closing(5), 7),
        ("x = f(a)", lambda text: text.closing(4), None),
        ("  \n x", lambda text: text.indent_at(4), " "),
        ("a\nb\nc", lambda text: [text.line_of(at) for at in range(5)], [1, 1, 2, 2, 3]),
        ("x = (", lambda text: [each.text for each in text.tokens], ["x", "=", "("]),
    ],
)
def test_lines_and_tokens(source: str, answer: Callable[[Text], object], expected: object) -> None:
    assert answer(Text(source)) == expected


def test_nodes_come_in_the_order_of_the_source() -> None:
    source = "@d\ndef f(a: int, b=k) -> r:\n    return x if t else {p: q for p in s}\n"
    names = [node.id for node in walk(ast.parse(source)) if isinstance(node, ast.Name)]
    assert names == ["d", "int", "k", "r", "x", "t", "p", "q", "p", "s"]
    assert [type(part) for part in children(ast.parse("-a + b").body[0].value)] == [  # type: ignore[attr-defined]
        ast.UnaryOp,
        ast.Name,
    ]
