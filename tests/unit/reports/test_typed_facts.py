"""What comes after the rules reads a finding's `detail` and `subject`, and no words of its.

A sentence that is worded otherwise would change what is located, patched or named. A name that is
known later is a reference in the sentence (`words/references.py`).
"""

from __future__ import annotations

import ast
import gc
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORTS = ROOT / "reports/ca_reports"
WORDS = ("fix", "message", "key")
# Of a text, or of an expression that searches one.
SEARCHES = frozenset(
    (
        "split", "partition", "rpartition", "startswith", "endswith", "find", "index", "lower",
        "search", "match", "fullmatch", "findall", "finditer", "removeprefix", "removesuffix",
        "sub", "subn", "replace", "translate",
    )
)  # fmt: skip
FOLDERS = ("causes", "diagnosis", "patching", "output", "gates", "comparison")


_CODE = re.compile(r"CA\d{1,3}")
# In an expression of `re`, where a bracket is escaped.
_WRAPPERS_NAME = re.compile(r"(?:args|kwargs|hooks)\\\[|(?:\\b|\b)fn\\\.")


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


# The path of each module below `REPORTS`, and its tree.
Modules = dict[str, ast.Module]


@pytest.fixture(scope="module")
def modules() -> Modules:
    paths = sorted(REPORTS.rglob("*.py"))
    gc.disable()  # it would walk what is kept again and again, which takes as long as to parse it
    try:
        return {
            path.relative_to(REPORTS).as_posix(): ast.parse(path.read_text("utf-8"))
            for path in paths
        }
    finally:
        gc.enable()


def found_in(
    modules: Modules, folders: tuple[str, ...], search: Callable[[ast.Module], Iterator[str]]
) -> dict[str, list[str]]:
    """Return what ``search`` yields of each module of ``folders`` that it yields something of."""
    return {
        name: own
        for name, module in modules.items()
        if name.partition("/")[0] in folders and (own := list(search(module)))
    }


def test_words_of_a_finding_decide_nothing(modules: Modules) -> None:
    found = found_in(modules, FOLDERS, reading_words)
    assert not found, "give the finding a detail, or its sentence a reference"


def looking_for_wrappers_names(module: ast.Module) -> Iterator[str]:
    """Yield each expression that looks for ``args[0]``, ``kwargs['x']`` or a hook in a text."""
    for node in ast.walk(module):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and _WRAPPERS_NAME.search(text):
            yield text


def test_the_names_that_wrappers_have_are_looked_for_nowhere(modules: Modules) -> None:
    """`GuardPath.unnamed` says where a path begins with one, and a sentence refers to it."""
    found = {
        name: own
        for name, module in modules.items()
        if (own := list(looking_for_wrappers_names(module)))
    }
    assert not found, "ask the path, before the sentence is made"


@pytest.mark.parametrize("code", [r'x(r"\bargs\[(\d{1,3})\]")', r"""x(r"\bkwargs\['(\w+)'\]")"""])
def test_looking_for_a_wrappers_name_is_seen(code: str) -> None:
    assert list(looking_for_wrappers_names(ast.parse(code)))


def test_codes_are_named_by_rules_and_nowhere_else(modules: Modules) -> None:
    named = {
        name: node.value
        for name, module in modules.items()
        for node in ast.walk(module)
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
        "_BY_PLACE.sub(self.name, finding.message)",
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


def test_the_path_of_what_is_guarded_is_taken_apart_once(modules: Modules) -> None:
    """`facts/guard_paths.py` does it. The source of a guard on torch's global state is a list."""
    folders = ("run", "facts", "causes", "patching", "costs", "sentences", "diagnosis")
    owners = ("guard_paths.py", "decisive.py", "mode_changes.py")
    others = {name: module for name, module in modules.items() if not name.endswith(owners)}
    found = found_in(others, folders, taking_paths_apart)
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


# Patches that still look for a piece of code in a statement's text, by how often. Each is to ask
# the nodes: a comment or a text may say the same, and code may say it otherwise.
TEXTS_LEFT = {
    "patching/conditions.py": 1,
    "patching/lengths.py": 1,
    "patching/summands.py": 2,
}
# These cut a text that is to be shown or written.
CUTS = frozenset(("partition", "removeprefix", "removesuffix", "replace"))


def is_code(node: ast.AST) -> bool:
    """Whether it is ``file.code(statement)``: the text of a node."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "code"
        and ast.unparse(node.func.value).rpartition(".")[2] in ("file", "other", "home")
    )


def searching_code(module: ast.Module) -> Iterator[str]:
    """Yield each expression that searches the text of the program's code."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in SEARCHES - CUTS and (
                is_code(node.func.value) or any(map(is_code, node.args))
            ):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            for operator, text in zip(node.ops, node.comparators, strict=True):
                if isinstance(operator, ast.In | ast.NotIn) and is_code(text):
                    yield ast.unparse(node)


def test_the_text_of_code_decides_less_and_less(modules: Modules) -> None:
    found = found_in(modules, ("program", "causes", "patching"), searching_code)
    counts = {name: len(own) for name, own in found.items()}
    more = {name: found[name] for name in counts if counts[name] > TEXTS_LEFT.get(name, 0)}
    assert not more, "ask the nodes: `has_call`, `words_in`"
    assert counts == TEXTS_LEFT, "count what is left again"


@pytest.mark.parametrize(
    "code",
    [
        '".backward(" in file.code(statement)',
        "any(word not in site.file.code(one) for one in every)",
        'file.code(one).startswith("yield")',
        "_CONDITION.fullmatch(file.code(outer))",
    ],
)
def test_searching_the_text_of_code_is_seen(code: str) -> None:
    assert list(searching_code(ast.parse(code)))


def looked_up_by_id(module: ast.Module) -> list[str]:
    return [
        ast.unparse(node.args[0])
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id"
    ]


@pytest.mark.parametrize("folder", ["facts", "causes/rules", "causes/located"])
def test_nothing_of_a_run_is_looked_up_by_id(folder: str, modules: Modules) -> None:
    """An event has a key, a guarded thing and a change of sizes an identity."""
    found = {
        name: looked_up_by_id(module)
        for name, module in modules.items()
        if name.startswith(f"{folder}/")
    }
    assert found
    assert not any(found.values()), found
