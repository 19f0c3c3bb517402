"""Tells whether the guide's pictures in ``docs/images`` still show what the product draws.

``make screenshots`` records beside the pictures what they were made from, and
``tests/docs/test_pictures.py`` compares that with the sources of today. This needs no browser, and
compares no pixels, which differ from one Chromium to the next. The sources are those that draw:
templates, style, script, and the modules that a page or a terminal's text is made with. What the
rules find in the sample is not among them, as the guide's text quotes it.
"""

from __future__ import annotations

import ast
import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, meta

from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES = ROOT / "docs" / "images"
MADE_FROM = IMAGES / "made-from.json"
REPORTS = ROOT / "reports" / "ca_reports"
DRAWS = ("ca_reports.output.html", "ca_reports.output.terminal")
DRAWN_WITH = ("ca_reports.output", "ca_reports.sentences", "ca_reports.words")
OTHER_SOURCES = (
    REPORTS / "web" / "built" / "report.css",
    REPORTS / "web" / "built" / "report.js",
    ROOT / "sample_scripts" / "gpt_ragged.py",
    ROOT / "tests" / "browser" / "screenshots.py",
)


def made_from() -> dict[str, dict[str, str]]:
    """Return the digests of today's pictures and of their sources, by path in the repository."""
    return {
        "pictures": _digests(IMAGES.glob("*.png")),
        "sources": _digests((*_modules(), *_templates("report.html.j2"), *OTHER_SOURCES)),
    }


def stale() -> list[str]:
    """Return the paths that are not as they were when the pictures were made."""
    then, now = json.loads(MADE_FROM.read_text("utf-8")), made_from()
    return sorted(
        path
        for kind in ("pictures", "sources")
        for path in then[kind].keys() | now[kind].keys()
        if then[kind].get(path) != now[kind].get(path)
    )


def renew() -> None:
    """Write what today's pictures were made from."""
    MADE_FROM.write_text(json.dumps(made_from(), indent=2, sort_keys=True) + "\n", "utf-8")


def _digests(paths: Iterator[Path] | tuple[Path, ...]) -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): digest(path) for path in paths}


def digest(path: Path) -> str:
    """Return a digest of a file; of a Python file without its docstrings, comments, empty lines."""
    content = path.read_bytes()
    if path.suffix == ".py":
        content = b"\n".join(_code(content))
    return hashlib.sha256(content).hexdigest()[:16]


def _code(content: bytes) -> Iterator[bytes]:
    words = set[int]()
    for node in ast.walk(ast.parse(content)):
        match node:
            case ast.Expr(ast.Constant(str())):
                words.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    # By line, as what `ast` and `tokenize` make of one file differs between Pythons.
    for number, line in enumerate(content.splitlines(), start=1):
        if number not in words and (code := line.strip()) and not code.startswith(b"#"):
            yield line.rstrip()


def _modules() -> tuple[Path, ...]:
    """Return the modules that draw, and those that they import of the same packages."""
    found: dict[str, Path] = {}
    names = list(DRAWS)
    while names:
        name = names.pop()
        spec = find_spec(name) if name.startswith(DRAWN_WITH) and name not in found else None
        if spec is not None and spec.origin is not None:
            found[name] = Path(spec.origin)
            names += _imports(found[name])
    return tuple(found.values())


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module in DRAWN_WITH:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def _templates(name: str) -> tuple[Path, ...]:
    """Return the template of that name, and those that it includes and imports."""
    folder = REPORTS / "output" / "templates"
    environment = Environment(loader=FileSystemLoader(folder), autoescape=True)
    parsed = environment.parse((folder / name).read_text("utf-8"))
    included = (found for found in meta.find_referenced_templates(parsed) if found is not None)
    return tuple({folder / name, *(path for each in included for path in _templates(each))})
