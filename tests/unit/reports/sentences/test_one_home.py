"""``words/`` and ``sentences/`` are the home of what all outputs say: nobody else words it.

Read off the source: how a number, a share, a duration, a plural, a cut list, a phase, a place in a
file or a control character is written stands in these two packages only.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPORTS = ROOT / "reports/ca_reports"
# What these say is of their own subject.
BELOW = ("logs", "run/build", "program")
HOME = ("words/", "sentences/", "output/runs.py", "output/advice.py")
MODULES = [
    path
    for folder in (REPORTS, ROOT / "ca_cli", ROOT / "ca_pytest")
    for path in sorted(folder.rglob("*.py"))
    if not path.relative_to(folder).as_posix().startswith(HOME + BELOW)
]
TEMPLATES = sorted((REPORTS / "output/templates").iterdir())
# Where something looks like words and is none.
NO_WORDS = {
    ("output/graph_files.py", "number"): "coordinates of an SVG",
    ("output/sizes_svg.py", "number"): "coordinates of an SVG",
    ("words/editors.py", "control"): "what an address may hold",
    ("run/seal.py", "control"): "what separates the parts of a seal",
    ("diagnosis/identities.py", "control"): "what separates the parts of a fingerprint",
    ("output/lines.py", "cut"): "a sign that an encoding may lack",
    ("output/timeline.py", "phase"): "what torch calls a cache",
    ("facts/argument_names.py", "cut"): "an argument within code that has no name",
    ("facts/guarded_things.py", "cut"): "values that come before or after those that are known",
}
NOUNS = (
    "backwards|captures|causes|findings|graph breaks|graphs|hits|lines|nodes|parameters|processes|"
    "ranks|recaptures|recompiles|sizes|times"
)
CONTROL = re.compile("[\0-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029]|\\\\x[01]")


def words(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a module words for itself: what it is, and where."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            if re.search(r"[fge%]$", written(node.format_spec)):
                yield "number", node
        elif isinstance(node, ast.JoinedStr):
            text = written(node)
            if re.search(r"\band \0 more\b", text):
                yield "and more", node
            elif re.search(rf"\0 ({NOUNS})\b", text) and not calls(node):
                yield "count", node
            elif re.search(r"\0 (?:s|ms|µs|MB|MiB|GiB)\b|\0%", text):
                yield "unit", node
            elif re.search(r"\0:\0", text) and any(
                isinstance(part, ast.Attribute) and part.attr in ("line", "lines")
                for part in ast.walk(node)
            ):
                yield "place", node
        elif isinstance(node, ast.IfExp) and is_plural(node):
            yield "plural", node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in ("Dynamo", "AOT", "AOT autograd", "first run"):
                yield "phase", node
            elif node.value == "…":
                yield "cut", node
            elif CONTROL.search(node.value) and id(node) not in documentation:
                yield "control", node


def written(node: ast.JoinedStr) -> str:
    """Its text, with a NUL for whatever is put in."""
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values
    )


def calls(node: ast.JoinedStr) -> bool:
    """Whether what is put in before a noun is words already: ``counted(number, "new")``."""
    return any(isinstance(part, ast.Call) and names(part) & MAKERS for part in ast.walk(node))


MAKERS = {"counted", "times", "place", "node_counts"}


def names(call: ast.Call) -> set[str]:
    found = call.func
    return {found.id if isinstance(found, ast.Name) else getattr(found, "attr", "")}


def is_plural(node: ast.IfExp) -> bool:
    """``"" if n == 1 else "s"``, ``"is" if …``, ``"1 file" if n == 1 else f"{n} files"``."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.comparators[0], ast.Constant):
        return False
    if test.comparators[0].value != 1 or not isinstance(test.ops[0], ast.Eq | ast.NotEq | ast.Gt):
        return False
    constants = [side.value for side in sides(node) if isinstance(side, ast.Constant)]
    chosen = [value for value in constants if isinstance(value, str)]
    if len(chosen) == 2:
        # `"high" if len(group) > 1 else "medium"` is no plural.
        return not isinstance(test.ops[0], ast.Gt) or any(one.endswith("s") for one in chosen)
    texts = [written(side) for side in sides(node) if isinstance(side, ast.JoinedStr)]
    return any(re.search(r"\0 \w+s\b", text) for text in texts) and any(chosen)


def sides(node: ast.IfExp) -> tuple[ast.expr, ast.expr]:
    return node.body, node.orelse


def of_template(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a template words for itself."""
    patterns = {
        "plural": r"== 1 else",
        "number": r'"%[^"]*[fgd]"\|format',
        "and more": r"[Aa]nd \{\{[^}]*\}\} more",
        "count": rf"(?<!counted)\}}\}} ({NOUNS})\b",
        "name": r'\|replace\("[_-]", " "\)',
        "place": r"\}\}:\{\{",
        "phase": r">(Dynamo|AOT)</th>",
    }
    for kind, pattern in patterns.items():
        for found in re.finditer(pattern, text):
            yield kind, text[max(0, found.start() - 30) : found.end() + 20]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_makes_no_words_that_text_has(path: Path) -> None:
    name = str(path.relative_to(REPORTS)) if path.is_relative_to(REPORTS) else str(path)
    tree = ast.parse(path.read_text("utf-8"))
    found = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} {kind}: {ast.unparse(node)}"
        for kind, node in words(tree)
        if (name, kind) not in NO_WORDS
    ]
    assert found == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_makes_no_words_that_text_has(path: Path) -> None:
    found = list(of_template(path.read_text("utf-8")))
    # The width of a part of the bar, which is CSS.
    assert [one for one in found if "flex-grow" not in one[1]] == []


@pytest.mark.parametrize(("name", "kind"), NO_WORDS)
def test_each_exception_is_needed(name: str, kind: str) -> None:
    tree = ast.parse((REPORTS / name).read_text("utf-8"))
    assert kind in {found for found, _ in words(tree)}


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("number", 'f"{seconds:.2f} s"'),
        ("number", 'f"{share:.0%}"'),
        ("and more", 'f"and {left} more"'),
        ("count", 'f"{len(found)} captures"'),
        ("unit", 'f"{size} MB"'),
        ("place", 'f"{frame.file}:{frame.line}"'),
        ("plural", 'noun + ("" if number == 1 else "s")'),
        ("plural", '"1 file" if number == 1 else f"{number} files"'),
        ("plural", '"are" if len(gone) > 1 else "is"'),
        ("phase", '{"aot": "AOT"}'),
        ("cut", 'text[:9] + "…"'),
        ("control", r're.compile("[\x00-\x1f]")'),
        ("control", r're.compile(r"[\x00-\x1f]")'),
    ],
)
def test_each_kind_of_words_is_found(kind: str, code: str) -> None:
    assert kind in {found for found, _ in words(ast.parse(code))}
