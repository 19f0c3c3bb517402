"""The page of a comparison of two runs."""

from __future__ import annotations

from ca_reports.comparison.runs import Outcome
from ca_reports.output import compare_html
from ca_reports.run.model import Run
from tests.unit.reports.output.reported import Page, compared


def test_the_page_of_a_comparison(run: Run) -> None:
    page = compare_html.render(Outcome(compared(run)))
    parsed = Page()
    parsed.feed(page)
    assert "script" not in parsed.tags
    assert page.count("<section>") >= 3
