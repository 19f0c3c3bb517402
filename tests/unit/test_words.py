"""How the product writes English: what can be checked by machine, in pages, texts and docstrings.

CONTRIBUTING.md has the rest, which takes a reader.
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

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SOURCES = [
    path
    for folder in ("ca_cli", "ca_pytest", "engine/ca_engine", "reports/ca_reports")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
TEMPLATES = sorted((ROOT / "reports").rglob("*.j2"))

# Each with what to write instead.
PHRASES = {
    r"\d %(?!\w)": "75%",
    r"\banew\b": "again, from scratch; renew",
    r"\b[Ll]ogs? of torch's own\b": "torch's own logs",
    r"\b(?:line|page|row|figure|entry|process|seconds?|MB|MiB|ms) an? "
    r"(?:process|compile|line|miss|capture|finding|rank|cause|look|core|row)\b": "per",
    r"\b(?:is|are|was|were) no longer there and\b": "a verb",
    r" as well[.;:](?=\s|$)": "also, before the verb",
    r"\bfits too\b": "could also be",
    r"\ba folder of its own\b": "a new or empty folder",
    r"\bNothing to do was found\b": "No problems found",
    r"\bWhat is known of it\b": "Details",
    r"\btells the whole story\b": "explains everything",
    r"\btake part in some\b": "don't run every step",
    r"\ba few fixed lengths\b": "a few lengths",
    r"\bwho reads\b": "a reader",
    r"\bby intention\b": "by design",
}
CODE = re.compile(r"^(```|~~~).*?^\1|^    .*?$|`[^`]*`", re.M | re.S)
# A page's policy and C++ have semicolons of their own.
OTHERWISE = re.compile("-src |PyObject")
SENTENCE = re.compile(r"(?<=[.!?:])\s|\n\s*\n|\n\s*[-*]")
MOST_SEMICOLONS = 2


def faults(text: str) -> Iterator[str]:
    """Yield what is against the list, with its surroundings."""
    for pattern, better in PHRASES.items():
        for found in re.finditer(pattern, text):
            around = text[max(0, found.start() - 40) : found.end() + 20]
            yield f"{' '.join(around.split())!r}: write {better}"
    # A cell of a table may hold a list.
    for sentence in SENTENCE.split(re.sub(r"^\|.*", "", text, flags=re.M)):
        if sentence.count(";") > MOST_SEMICOLONS:
            yield f"{' '.join(sentence.split())!r}: make it several sentences"


def prose(path: Path) -> str:
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), path.read_text("utf-8"))


class Sources:
    """What the tests look for in all modules, each of which is parsed once and forgotten."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.nouns: list[str] = []
        self.places: dict[str, list[str]] = {}
        for path in SOURCES:
            name, module = str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))
            self.faults += [f"{name}: {one}" for text in texts(module) for one in faults(text)]
            self.nouns += [
                f"{name}: {ast.get_docstring(node)}"  # type: ignore[arg-type]
                for node in ast.walk(module)
                if begins_with_a_noun(node)
            ]
            for node in module.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    self.places.setdefault(node.name, []).append(name)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources()


def texts(module: ast.Module) -> Iterator[str]:
    """Yield the texts and docstrings of a module that are sentences, or parts of some."""
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=str(text)) if text.count(" ") > 1 and not OTHERWISE.search(
                text
            ):
                yield CODE.sub("", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_words_of_a_page(page: Path) -> None:
    assert list(faults(prose(page))) == []


def test_words_of_texts_and_docstrings(sources: Sources) -> None:
    assert sources.faults == []


NOUNS = re.compile(
    r"(?:The|An?|What|Whether|Where|How|Which|Each|Every|One|Those|All|Its|Their|That)\b|``"
    # Nouns in the plural, and "Returns".
    r"|[A-Z][a-z]*[^\Ws]s\b"
)


def begins_with_a_noun(function: ast.AST) -> bool:
    """Return whether a function says what something is, and not what it does with it."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    if not NOUNS.match(ast.get_docstring(function) or ""):
        return False
    return function.returns is not None and ast.unparse(function.returns) != "None"


def test_docstrings_begin_with_a_verb(sources: Sources) -> None:
    assert not sources.nouns, "begin with a verb: Return, Find, Yield"


@pytest.mark.parametrize(
    "word", ["The size", "What it is", "``x`` of it", "A size", "Returns x", "Sizes"]
)
def test_a_noun_is_found(word: str) -> None:
    function = ast.parse(f'def f() -> int:\n    """{word}."""').body[0]
    assert begins_with_a_noun(function)


@pytest.mark.parametrize(
    "word", ["Return the size", "Find what it is", "Thereafter", "Allow it", "Pass it"]
)
def test_a_verb_is_no_noun(word: str) -> None:
    function = ast.parse(f'def f() -> int:\n    """{word}."""').body[0]
    assert not begins_with_a_noun(function)


def test_two_classes_have_two_names(sources: Sources) -> None:
    # Each trainer's users import the callback from the module that is named after it.
    twice = {name: found for name, found in sources.places.items() if len(found) > 1}
    assert set(twice) == {"StepCallback"}


def test_words_of_templates() -> None:
    found = [
        f"{path.name}: {fault}"
        for path in TEMPLATES
        for fault in faults(re.sub(r"{[%{#].*?[%}#]}|&\w+;|<[^>]*>", "", path.read_text("utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "75 % of the run",
        "written anew",
        "one line a miss",
        "which `x` prints as well.",
        "one; two; three; four.",
        "a log of torch's own",
    ],
)
def test_a_fault_is_found(text: str) -> None:
    assert list(faults(text))


def test_what_is_no_fault() -> None:
    assert not list(faults("75% of a run; 3% of it; as well as the rest. One line per miss."))
