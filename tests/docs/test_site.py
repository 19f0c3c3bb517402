"""The guide builds: every page is in the navigation, every link and anchor is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.building import build_guide
from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("zensical")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_guide(tmp_path_factory.mktemp("guide"))


def test_every_page_is_built(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in pages_of_the_guide()}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    missing = {str(page) for page in pages - built} - {"rules/README"}  # becomes an index
    assert not missing
    assert (site / "rules" / "index.html").is_file()


def test_one_page_leads_to_every_rule(site: Path) -> None:
    assert 'href="./rules/index.html"' in (site / "index.html").read_text("utf-8")
    page = (site / "rules" / "index.html").read_text("utf-8")
    for rule in (ROOT / "docs" / "rules").glob("CA*.md"):
        assert f'href="{rule.stem}.html"' in page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    assert 'src="http' not in page
    assert 'rel="stylesheet" href="http' not in page
    assert "fonts.googleapis" not in page
    assert "unpkg" not in page


def test_comments_that_direct_the_tests_are_not_shown(site: Path) -> None:
    page = (site / "pytest.html").read_text("utf-8")
    shown = page.replace("<!-- ", "\0")
    assert "file: test_model.py" not in "".join(
        part.partition("-->")[2] for part in shown.split("\0")
    )


def pages_of_the_guide() -> list[Path]:
    return sorted((ROOT / "docs").rglob("*.md"))
