"""The page of a comparison of two runs."""

from __future__ import annotations

from ca_reports.comparison.runs import Outcome
from ca_reports.model import Run
from ca_reports.render import compare_html
from tests.unit.reports.render.reported import Page, compared


def test_the_page_of_a_comparison(run: Run) -> None:
    page = compare_html.render(Outcome(compared(run)))
    parsed = Page()
    parsed.feed(page)
    assert "script" not in parsed.tags
    assert page.count("<section>") >= 3
