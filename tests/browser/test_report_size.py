"""The report of many captures of a 12-layer GPT, recorded for it: small, and open at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from benchmarks import pages
from tests.browser.chromium import open_page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

# What `make bench` measures with fifty; each more than the first few costs the page the same.
CAPTURES = 20


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = pages.record(tmp_path_factory.mktemp("gpt"), CAPTURES)
    pages.measure(run)
    return run


def test_fifty_captures_would_fit_into_two_megabytes(recorded: Path) -> None:
    run = ca_reports.load([recorded])
    assert len(run.captures) == CAPTURES
    assert all(capture.graph is not None for capture in run.captures)
    page = recorded / "report.html"
    assert page.stat().st_size <= pages.MOST_BYTES * CAPTURES / 50
    # Not by leaving graphs out: every capture has one, every one but the first a difference.
    text = page.read_text("utf-8")
    assert "is left out" not in text
    assert text.count('"graph":"block-') == CAPTURES
    assert text.count('"difference":"block-') == CAPTURES - 1


@pytest.mark.browser
def test_its_first_paint_comes_within_a_second(chromium: Any, recorded: Path) -> None:
    page, watched = open_page(chromium, recorded / "report.html")
    page.wait_for_timeout(500)
    paints = page.evaluate("performance.getEntriesByType('paint').map(entry => entry.startTime)")
    assert paints
    assert max(paints) < 1_000
    assert watched.errors == []
