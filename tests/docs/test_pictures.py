"""The guide's pictures are no older than what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser import pictures
from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_pictures_are_of_today() -> None:
    stale = pictures.stale()
    assert not stale, (
        f"docs/images is older than {', '.join(stale)}: "
        "run `make screenshots`, look at the pictures, and commit docs/images"
    )


def test_what_pictures_are_made_from() -> None:
    sources = {path.removeprefix("reports/ca_reports/") for path in pictures.made_from()["sources"]}
    assert {
        "output/html.py",
        "output/terminal.py",
        "output/timeline.py",  # imported by the page's
        "words/numbers.py",
        "output/templates/report.html.j2",
        "output/templates/captures.html.j2",  # included
        "output/templates/macros.html.j2",  # imported by one that is included
        "web/built/report.css",
        "web/built/report.js",
        "sample_scripts/gpt_ragged.py",
    } <= sources
    assert not {"output/compare_html.py", "output/templates/compare.html.j2"} & sources
    assert all((ROOT / path).is_file() for path in pictures.made_from()["sources"])


def test_words_about_code_do_not_count(tmp_path: Path) -> None:
    def digest(text: str) -> str:
        (tmp_path / "code.py").write_text(text)
        return pictures.digest(tmp_path / "code.py")

    code = 'def width() -> int:\n    """Return it."""\n    return 3\n'
    assert digest(code) == digest(code.replace("Return it", "Give it") + "\n# a comment\n")
    assert digest(code) != digest(code.replace("3", "4"))
