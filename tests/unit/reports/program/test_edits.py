"""Each verb by a table: what it makes, what it leaves, when it refuses; then edits that compose."""

from __future__ import annotations

import ast
from itertools import pairwise
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.program import edits
from ca_reports.program.edits import RefusedError, Replacement, applied_to
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Module

if TYPE_CHECKING:
    from collections.abc import Callable

    Verb = Callable[[Module, Any], edits.Edits]


def module_of(source: str) -> Module:
    return Module("train.py", source, ast.parse(source))


def node_at(file: Module, words: str) -> Any:
    """The first expression whose text is ``words``, else the first statement."""
    kinds = (ast.expr, ast.stmt, ast.alias, ast.arg)
    found = [one for one in walk(file.tree) if isinstance(one, kinds) and file.code(one) == words]
    return [one for one in found if file.span(one) == file.span(found[0])][-1]


def statement_at(file: Module, words: str) -> Any:
    """The innermost statement that begins with ``words``."""
    return [
        node
        for node in walk(file.tree)
        if isinstance(node, ast.stmt) and file.code(node).startswith(words)
    ][-1]


def after(source: str, words: str, verb: Verb, *, of: Any = node_at) -> str:
    file = module_of(source)
    return applied_to(source, verb(file, of(file, words)))


def keyword(file: Module, call: Any) -> edits.Edits:
    return edits.add_keyword(file, call, "k", "1")


def argument(file: Module, call: Any) -> edits.Edits:
    return edits.add_argument(file, call, "z")


def wrapped(file: Module, node: Any) -> edits.Edits:
    return edits.wrap(file, node, "torch.tensor")


def appended(file: Module, node: Any) -> edits.Edits:
    return edits.append(file, node, ".sum()")


def replaced(file: Module, node: Any) -> edits.Edits:
    return edits.replace(file, node, "new")


EXPRESSIONS: list[tuple[Verb, str, str, str]] = [
    (replaced, "x = (a + b)  # c", "a + b", "x = (new)  # c"),
    (replaced, "x = 'ü', old", "old", "x = 'ü', new"),
    (wrapped, "x = a + b", "a + b", "x = torch.tensor(a + b)"),
    (wrapped, "x = (a\n     + b)", "a\n     + b", "x = (torch.tensor(a\n     + b))"),
    (wrapped, "x = 1, 2", "1, 2", "x = torch.tensor((1, 2))"),
    (wrapped, "x = (i for i in y)", "i for i in y", "x = (torch.tensor((i for i in y)))"),
    (wrapped, "x = torch.tensor(a)", "a", "x = torch.tensor(a)"),
    (appended, "x = a", "a", "x = a.sum()"),
    (appended, "x = a + b", "a + b", "x = (a + b).sum()"),
    (appended, "x = (a + b)", "a + b", "x = (a + b).sum()"),
    (appended, "x = f(a + b)", "a + b", "x = f((a + b).sum())"),
    (appended, "x = (a + b).sum()", "a + b", "x = (a + b).sum()"),
    (keyword, "x = f()", "f()", "x = f(k=1)"),
    (keyword, "x = f(a)", "f(a)", "x = f(a, k=1)"),
    (keyword, "x = f(a, k=2)", "f(a, k=2)", "x = f(a, k=1)"),
    (keyword, "x = f(a, k=1)", "f(a, k=1)", "x = f(a, k=1)"),
    (keyword, "x = f((a))", "f((a))", "x = f((a), k=1)"),
    (keyword, "f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n    k=1,\n)"),
    (keyword, "f(\n    a,\n    b\n)", "f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n    k=1\n)"),
    (
        keyword,
        "f(\n    a,  # one\n    b  # two\n)",
        "f(\n    a,  # one\n    b  # two\n)",
        "f(\n    a,  # one\n    b,  # two\n    k=1\n)",
    ),
    (argument, "x = f(a, z)", "f(a, z)", "x = f(a, z)"),
    (argument, "x = f(*a)", "f(*a)", "x = f(*a, z)"),
]


@pytest.mark.parametrize(("verb", "source", "words", "expected"), EXPRESSIONS)
def test_an_expression_is_changed_and_what_is_around_it_stays(
    verb: Verb, source: str, words: str, expected: str
) -> None:
    assert after(source, words, verb) == expected


LOOP = """\
# Head.
for i in x:
    # Of a.
    a = 1  # one
    b = 2

    if a:
        # In it.
        c = 3
        d = (
            4
        )
e = 5
"""


def before(file: Module, node: Any) -> edits.Edits:
    return edits.insert_before(file, node, ["n = 0"])


def behind(file: Module, node: Any) -> edits.Edits:
    return edits.insert_after(file, node, ["n = 0", "", "m = 1"])


def hoisted(file: Module, node: Any) -> edits.Edits:
    return edits.move_before(file, node, statement_at(file, "for"))


def under(file: Module, node: Any) -> edits.Edits:
    return edits.put_under(file, node, "with w:")


def unwrapped(file: Module, node: Any) -> edits.Edits:
    return edits.unwrap(file, node, node.body)


STATEMENTS: list[tuple[Verb, str, str, str]] = [
    (before, "a = 1", "    # Of a.\n", "    n = 0\n    # Of a.\n"),
    (before, "for", "# Head.\n", "n = 0\n# Head.\n"),
    (
        behind,
        "a = 1",
        "a = 1  # one\n",
        "a = 1  # one\n    n = 0\n\n    m = 1\n",
    ),
    (behind, "e = 5", "e = 5\n", "e = 5\nn = 0\n\nm = 1\n"),
    (edits.remove, "b = 2", "    b = 2\n", ""),
    (edits.remove, "d = (", "        d = (\n            4\n        )\n", ""),
    (edits.remove, "if a", LOOP[LOOP.index("    if a") : LOOP.index("e = 5")], ""),
    (under, "b = 2", "    b = 2\n", "    with w:\n        b = 2\n"),
    (
        under,
        "d = (",
        "        d = (\n            4\n        )\n",
        "        with w:\n            d = (\n                4\n            )\n",
    ),
    (
        unwrapped,
        "if a",
        LOOP[LOOP.index("    if a") : LOOP.index("e = 5")],
        "    c = 3\n    d = (\n        4\n    )\n",
    ),
]


@pytest.mark.parametrize(("verb", "words", "old", "new"), STATEMENTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("unit", ["    ", "\t"])
def test_a_statement_is_changed_with_its_lines(
    verb: Verb, words: str, old: str, new: str, newline: str, unit: str
) -> None:
    def written(text: str) -> str:
        return text.replace("    ", unit).replace("\n", newline)

    source = written(LOOP)
    assert source.count(written(old)) == 1
    assert after(source, words, verb, of=statement_at) == source.replace(written(old), written(new))


def test_a_statement_is_moved_before_a_loop_as_deep_as_that() -> None:
    expected = LOOP.replace("    b = 2\n", "").replace("# Head.", "b = 2\n# Head.")
    assert after(LOOP, "b = 2", hoisted, of=statement_at) == expected


CLASS = '''\
"""Models."""
import os
import torch.nn as nn


class Net(nn.Module):
    """A net."""

    @staticmethod
    def run(x, *, y=1):
        """Run it."""
        return x + y
'''


def test_lines_begin_a_function_after_its_docstring() -> None:
    def first(file: Module, function: Any) -> edits.Edits:
        return edits.insert_first(file, function, ["x = x * 2"])

    assert after(CLASS, "def run", first, of=statement_at) == CLASS.replace(
        "        return", "        x = x * 2\n        return"
    )


def test_a_decorator_comes_below_the_others_and_goes_again() -> None:
    def decorated(file: Module, function: Any) -> edits.Edits:
        return edits.decorate(file, function, "cache")

    def bare(file: Module, function: Any) -> edits.Edits:
        return edits.undecorate(file, function.decorator_list[-1])

    new = after(CLASS, "def run", decorated, of=statement_at)
    assert new == CLASS.replace("    def run", "    @cache\n    def run")
    assert after(new, "def run", decorated, of=statement_at) == new
    assert after(new, "def run", bare, of=statement_at) == CLASS


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\n", "import torch\n"),
        ("import torch.nn as nn\nx = 1\n", "import torch\nimport torch.nn as nn\nx = 1\n"),
        (
            "import os\nfrom a import b\nfrom torch import nn\n",
            "import os\nimport torch\nfrom a import b\nfrom torch import nn\n",
        ),
        ("import os\n\nx = 1\n", "import os\n\nimport torch\n\nx = 1\n"),
        ('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\nimport torch\n\nx = 1\n'),
        ("# Head.\nx = 1\n", "import torch\n\n# Head.\nx = 1\n"),
    ],
)  # fmt: skip
def test_a_module_is_imported_where_sorted_imports_have_it(source: str, expected: str) -> None:
    file = module_of(source)
    new = applied_to(source, edits.import_module(file, "torch"))
    assert new == expected
    assert edits.import_module(module_of(new), "torch") == ()


REFUSED: list[tuple[Verb, str, str, str]] = [
    (keyword, "x = f(*a)", "f(*a)", r"train\.py:1 takes \*: add k=1 there"),
    (keyword, "x = f(**a)", "f(**a)", r"takes \*\*: add k=1 there"),
    (keyword, "x = f(i for i in a)", "f(i for i in a)", "is given a generator"),
    (wrapped, "x = f(*a)", "*a", "takes its arguments from a list"),
    (before, "a = 1; b = 2", "b = 2", "other statements on its line"),
    (behind, "a = 1; b = 2", "a = 1", "other statements on its line"),
    (under, "a = 1; b = 2", "a = 1", "other statements on its line"),
    (edits.remove, "if a:\n    b = 1", "b = 1", "nothing else is in the block of train.py:2"),
    (edits.remove, "if a: b = 1; c = 2", "b = 1", "other statements on its line"),
    (hoisted, "for i in x:\n    a = '''\n    '''\n    c = 1", "a = '''\n    '''", "text over"),
    (under, "a = f'''\n{b}\n'''", "a = f'''\n{b}\n'''", "text over several lines"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "source", "words", "reason"), REFUSED)
def test_what_cannot_be_done_whole_is_refused(
    verb: Verb, source: str, words: str, reason: str
) -> None:
    with pytest.raises(RefusedError, match=reason):
        after(source, words, verb)


def test_what_would_be_no_python_is_refused() -> None:
    file = module_of("x = 1\ny = 2\n")
    with pytest.raises(RefusedError, match=r"train\.py:2 cannot be changed"):
        edits.replace(file, file.tree.body[1], "y = = 2")
    with pytest.raises(RefusedError, match="two patches change the same lines"):
        applied_to("abc", [Replacement("f", 0, 2, "x"), Replacement("f", 1, 3, "y")])


def test_a_lambda_has_no_first_statement() -> None:
    file = module_of("f = lambda: 1\n")
    with pytest.raises(RefusedError, match="has no statement of its own"):
        edits.insert_first(file, node_at(file, "lambda: 1"), ["x = 1"])


def test_questions_about_nodes() -> None:
    file = module_of(CLASS)
    function = statement_at(file, "def run")
    assert edits.words_in(function) == {"staticmethod", "run", "x", "y"}
    imports = module_of("import a.b as c\nfrom d import e\ndef f():\n    global g\n")
    assert edits.words_in(imports.tree) == {*"abcdefg"}
    assert [edits.is_docstring(one) for one in function.body] == [True, False]
    assert [edits.is_simple(one) for one in file.tree.body] == [True, True, True, False]
    assert [type(one) for one in edits.following(file, file.tree.body[1])] == [
        ast.Import,
        ast.ClassDef,
    ]
    call = node_at(module_of("f(a, *b, k=1, **c)"), "f(a, *b, k=1, **c)")
    assert [(one.keyword, one.star) for one in edits.arguments(call)] == [
        ("", ""),
        ("", "*"),
        ("k", ""),
        ("", "**"),
    ]
    for words, code in (("a", "a"), ("1", "1"), ("a + b", "(a + b)"), ("'t'", "('t')")):
        shown = module_of(f"x = {words}")
        assert edits.operand(shown, node_at(shown, words)) == code


# Edits compose


ON_STATEMENTS: list[Verb] = [before, behind, under, edits.remove]
ON_EXPRESSIONS: list[Verb] = [wrapped, appended, replaced]
ON_CALLS: list[Verb] = [keyword, argument]
LINES = (
    "a = 1  # one", "b = f(a, k=2)", "c = g(\n    a,  # first\n    b,\n)", "d = (a + b) * c",
    "# Alone.", "", "e = 'ü', f(b)", "if a:\n    # In it.\n    g(a)\n    b = f()",
    "for i in c:\n    a = i + 1\n    b += a", "def h(x, y=1):\n    '''Doc.'''\n    return x + y",
    "@d\ndef k(x):\n    return f(x)", "s = '''\n text\n'''", "with a as b:\n    f(b); g(b)",
)  # fmt: skip


def verbs_for(node: ast.AST) -> list[Verb]:
    if isinstance(node, ast.Call):
        return [*ON_CALLS, *ON_EXPRESSIONS]
    if isinstance(node, ast.stmt):
        return ON_STATEMENTS
    is_read = isinstance(node, ast.BinOp) or (
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    return ON_EXPRESSIONS if is_read else []


@given(st.lists(st.sampled_from(LINES), min_size=2, max_size=7), st.data())
def test_edits_compose_and_leave_the_rest_to_the_byte(
    lines: list[str], data: st.DataObject
) -> None:
    """Two edits apart give what each gives; comments and lines elsewhere are as they were."""
    source = "\n".join(lines) + "\n"
    file = module_of(source)
    made: list[edits.Edits] = []
    for _ in range(2):
        nodes = [node for node in walk(file.tree) if verbs_for(node)]
        if not nodes:
            return
        node = data.draw(st.sampled_from(nodes))
        verb = data.draw(st.sampled_from(verbs_for(node)))
        try:
            made.append(verb(file, node))
        except RefusedError:
            continue
    for own in made:
        _require_rest_kept(source, own)
    every = sorted({one for own in made for one in own})
    if any(later.start <= earlier.end for earlier, later in pairwise(every)):
        return
    both = applied_to(source, every)
    ast.parse(both)
    _require_rest_kept(source, tuple(every))


def _require_rest_kept(source: str, own: edits.Edits) -> None:
    """What an edit does not replace is there still, in its order, between what it put in."""
    new, at, old = applied_to(source, own), 0, 0
    for one in sorted(own):
        assert source[old : one.start] + one.text == new[at : at + one.start - old + len(one.text)]
        at, old = at + one.start - old + len(one.text), one.end
    assert new[at:] == source[old:]
    # Comments go only with the statement that they are in the lines of.
    replaced_text = "".join(source[one.start : one.end] for one in own)
    for comment in ("# one", "# first", "# Alone.", "# In it."):
        lost = source.count(comment) - new.count(comment)
        assert lost <= replaced_text.count(comment)
    ast.parse(new)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=5), st.data())
def test_an_edit_done_again_changes_nothing(lines: list[str], data: st.DataObject) -> None:
    source = "\n".join(lines) + "\n"
    file = module_of(source)
    calls = [node for node in walk(file.tree) if isinstance(node, ast.Call)]
    if not calls:
        return
    number = data.draw(st.integers(0, len(calls) - 1))
    verb = data.draw(st.sampled_from([keyword, argument]))
    try:
        once = applied_to(source, verb(file, calls[number]))
    except RefusedError:
        return  # such as an argument by position after one by name
    again = module_of(once)
    same = [node for node in walk(again.tree) if isinstance(node, ast.Call)][number]
    assert applied_to(once, verb(again, same)) == once


def test_dedented_lines_keep_what_is_deeper() -> None:
    source = dedent(
        """\
        if a:
            # Why.
            b = 1
            if c:
                d = [
              2]
        """
    )
    file = module_of(source)
    branch: Any = file.tree.body[0]
    expected = "b = 1\nif c:\n    d = [\n  2]"
    assert edits.dedented(file, branch, branch.body) == expected
    one_line = module_of("if a: b = 1\n")
    branch = one_line.tree.body[0]
    assert edits.dedented(one_line, branch, branch.body) == "b = 1"


def test_several_lines_are_put_under_a_head_and_above_an_end() -> None:
    file = module_of("def f(x):\n    a = 1\n    # Why.\n    b = 2\n\n    return a + b\n")
    function: Any = file.tree.body[0]
    first, *_, last = function.body
    after = ("finally:", "    g()")
    changed = applied_to(file.text, edits.put_under(file, first, "try:", last=last, after=after))
    assert changed == (
        "def f(x):\n    try:\n        a = 1\n        # Why.\n        b = 2\n\n"
        "        return a + b\n    finally:\n        g()\n"
    )
