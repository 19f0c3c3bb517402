"""What comes after the rules reads a finding's `detail` and `subject`, and no words of its.

A sentence that is worded otherwise would change what is located or patched. The places that still
do it are counted: a module that needs one less is to be counted again, and none may have more.
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
WORDS = ("fix", "message", "key")
# Of a text, or of an expression that searches one.
SEARCHES = frozenset(
    (
        "split", "partition", "rpartition", "startswith", "endswith", "find", "index", "lower",
        "search", "match", "fullmatch", "findall", "finditer", "removeprefix", "removesuffix",
    )
)  # fmt: skip
# What still reads words. Each is to become a fact of the finding's `detail`.
LEFT = {
    "causes/located/own_words.py": 1,
}


_CODE = re.compile(r"CA\d{1,3}")


def parts_of_a_finding(node: ast.AST) -> bool:
    """Whether it is ``finding.fix`` or ``trail.finding.key``, or is made of one."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr in WORDS
        and (isinstance(part.value, ast.Name | ast.Attribute))
        and ast.unparse(part.value).rpartition(".")[2] in ("finding", "found", "match")
        for part in ast.walk(node)
    )


def reading_words(module: ast.Module) -> Iterator[str]:
    """Yield each expression that takes a finding's words apart, or looks for one of them."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in SEARCHES and (
                parts_of_a_finding(node.func.value) or any(map(parts_of_a_finding, node.args))
            ):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            for operator, text in zip(node.ops, node.comparators, strict=True):
                is_within = isinstance(operator, ast.In | ast.NotIn)
                if is_within and isinstance(text, ast.Attribute) and parts_of_a_finding(text):
                    yield ast.unparse(node)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("causes/located", "patching"):
        for path in sorted((REPORTS / folder).rglob("*.py")):
            yield path.relative_to(REPORTS).as_posix(), ast.parse(path.read_text("utf-8"))


def test_words_of_a_finding_decide_nothing() -> None:
    found = {name: list(reading_words(module)) for name, module in modules()}
    counts = {name: len(own) for name, own in found.items() if own}
    more = {name: found[name] for name in counts if counts[name] > LEFT.get(name, 0)}
    assert not more, "give the finding a detail instead"
    assert counts == LEFT, "count what is left again"


def test_codes_are_named_by_rules_and_nowhere_else() -> None:
    named = {
        path.relative_to(REPORTS).as_posix(): node.value
        for path in sorted(REPORTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _CODE.fullmatch(node.value)
    }
    assert len(named) > 80
    others = {name: code for name, code in named.items() if "causes/rules/" not in name}
    assert not others, "let the rule say it"


@pytest.mark.parametrize(
    "code",
    [
        'finding.fix.partition("; ")',
        '"is_causal" in finding.fix',
        "_QUOTED.findall(trail.finding.message)",
        're.search("x", finding.key)',
        '_SPLIT.split(trail.finding.key + " ")',
        'finding.key.removeprefix("G")[1:]',
    ],
)
def test_reading_words_is_seen(code: str) -> None:
    assert list(reading_words(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "finding.key == GRAD_MODE",
        'RefusedError(f"by hand: {finding.fix}")',
        "name in finding.detail",
    ],
)
def test_what_reads_no_words_is_left(code: str) -> None:
    assert not list(reading_words(ast.parse(code)))


def is_path(node: ast.AST) -> bool:
    """Whether it is ``guard.source``, or what is read of one: ``thing.path.text``."""
    if isinstance(node, ast.Name):
        return node.id == "source"
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr == "source" or (
        node.attr == "text" and ast.unparse(node.value).endswith("path")
    )


def taking_paths_apart(module: ast.Module) -> Iterator[str]:
    """Yield each expression that reads the path of what is guarded as a text."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in (*SEARCHES, "isidentifier", "replace", "sub", "parse") and (
                is_path(node.func.value) or any(map(is_path, node.args))
            ):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            for operator, text in zip(node.ops, node.comparators, strict=True):
                if isinstance(operator, ast.In | ast.NotIn) and is_path(text):
                    yield ast.unparse(node)


def test_the_path_of_what_is_guarded_is_taken_apart_once() -> None:
    """`facts/guard_paths.py` does it. The source of a guard on torch's global state is a list."""
    found = {
        path.relative_to(REPORTS).as_posix(): own
        for folder in ("facts", "causes", "patching", "costs", "sentences", "diagnosis")
        for path in sorted((REPORTS / folder).rglob("*.py"))
        if path.name not in ("guard_paths.py", "decisive.py", "mode_changes.py")
        and (own := list(taking_paths_apart(ast.parse(path.read_text("utf-8")))))
    }
    assert not found, "ask its `path`"


@pytest.mark.parametrize(
    "code",
    [
        'thing.source.startswith("self.")',
        "_ENTRY.search(thing.source)",
        '"._modules[" in source',
        'ast.parse(guard.source, mode="eval")',
        'thing.path.text.rpartition(".")',
    ],
)
def test_taking_a_path_apart_is_seen(code: str) -> None:
    assert list(taking_paths_apart(ast.parse(code)))


def looked_up_by_id(path: Path) -> list[str]:
    return [
        ast.unparse(node.args[0])
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id"
    ]


@pytest.mark.parametrize("folder", ["facts", "causes/rules", "causes/located"])
def test_nothing_of_a_run_is_looked_up_by_id(folder: str) -> None:
    """An event has a key, a guarded thing and a change of sizes an identity."""
    found = {path.name: looked_up_by_id(path) for path in (REPORTS / folder).rglob("*.py")}
    assert found
    assert not any(found.values()), found
