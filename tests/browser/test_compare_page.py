"""The page of `ca diff` in a real browser: a verdict, and links to the captures of both runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.comparison.runs import Outcome, Side, compare
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.identities import identify
from ca_reports.output import compare_html, html
from tests.browser.chromium import open_page
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser


def recorded(folder: Path, exponents: list[int]) -> Side:
    """A run folder with its page, as one side of a comparison."""
    log = run_folder(folder, recapturing(exponents))
    analysis = analyze(ca_reports.load([log]))
    (folder / "report.html").write_text(html.render(analysis), "utf-8")
    findings = identify(analysis.diagnosis.findings, analysis.places)
    return Side(folder.name, findings, analysis)


def test_the_captures_of_both_runs_are_a_click_away(chromium: Any, tmp_path: Path) -> None:
    before, after = recorded(tmp_path / "before", [3, 4]), recorded(tmp_path / "after", [])
    path = tmp_path / "diff.html"
    path.write_text(compare_html.render(Outcome(compare(before, after))), "utf-8")
    page, watched = open_page(chromium, path)

    assert page.locator(".verdict").inner_text().startswith("1 of 1 cause gone")
    assert "`" not in page.locator("main").inner_text()
    # The finding that is gone, and each capture of it, in the run that had it.
    gone = page.locator("li", has=page.locator(".mark.gone"))
    page.get_by_role("link", name="CA206 in before").first.click()
    page.wait_for_selector("#finding-0:visible")
    assert page.url == (tmp_path / "before" / "report.html").as_uri() + "#finding-0"
    page.go_back()
    assert gone.count() >= 1
    page.get_by_role("link", name="!2 in before").first.click()
    page.wait_for_selector("#capture-0-2:visible")
    assert page.locator("section.capture:visible").count() == 1
    page.go_back()
    page.get_by_role("link", name="after", exact=True).click()
    page.wait_for_selector("#captures:visible")
    assert page.url.startswith((tmp_path / "after" / "report.html").as_uri())
    assert watched.errors == []


def test_a_run_without_a_page_has_no_links(chromium: Any, tmp_path: Path) -> None:
    before, after = recorded(tmp_path / "before", [3]), recorded(tmp_path / "after", [])
    (tmp_path / "before" / "report.html").unlink()
    path = tmp_path / "diff.html"
    path.write_text(compare_html.render(Outcome(compare(before, after))), "utf-8")
    page, _ = open_page(chromium, path)
    assert page.get_by_role("link", name="before").count() == 0
    assert page.get_by_role("link", name="after", exact=True).count() == 1
