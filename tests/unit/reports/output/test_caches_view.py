"""The page's view of a start's use of caches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output.caches_view import caches_view
from tests.unit.reports.costs.caches.made import PARTS, CacheLog, start_of, started

if TYPE_CHECKING:
    from pathlib import Path

OTHER = {**PARTS, "cpp_runtime_thread_count": "1"}


def test_a_cold_start_has_its_cause_and_a_row_for_each_compile(tmp_path: Path) -> None:
    view = caches_view(started(tmp_path, start_of(OTHER, aot=True), start_of(aot=True)))
    assert view is not None
    assert view.headline == "Cold: the graph was compiled (4.0 s)."
    assert [cause.title for cause in view.causes] == ["cpp_runtime_thread_count: 2 → 1"]
    (row,) = view.rows
    assert (row.compile, row.aot, row.fx, row.seconds) == ("0/0", "miss", "miss", "4.0 s")


def test_a_warm_start_is_compared_with_nothing(tmp_path: Path) -> None:
    view = caches_view(started(tmp_path, start_of(state="hit"), start_of()))
    assert view is not None
    assert (view.compared, view.causes) == ("", [])


def test_a_run_that_asked_no_cache_has_no_view(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run()
    start = started(tmp_path, log, start_of())
    assert caches_view(start) is None
    assert 'href="#caches"' not in html.render(analyze(start.run))


def test_the_page_has_a_tab_that_says_why(tmp_path: Path) -> None:
    start = started(tmp_path, start_of(OTHER), start_of())
    page = html.render(replace(analyze(start.run), start=start))
    assert '<a href="#caches">Caches <span class="n">1</span></a>' in page
    view = page[page.index('data-view="caches"') : page.index('data-view="log"')]
    assert "cpp_runtime_thread_count: 2 → 1" in view
    assert "<code>OMP_NUM_THREADS=2</code> for every start" in view


def test_the_overview_says_that_a_start_was_cold(tmp_path: Path) -> None:
    """No function was recompiled in it, and all the same it compiled what another start had."""
    start = started(tmp_path, start_of(OTHER), start_of())
    page = html.render(replace(analyze(start.run), start=start))
    view = page[page.index('data-view="overview"') : page.index('data-view="timeline"')]
    assert "Compiled again, as the caches did not serve (1 graph, 4.0 s): " in view
    assert '<a href="#caches">Why</a>' in view
    assert "No problems found." not in view
    assert 'href="#caches">Why' not in html.render(analyze(start.run))


def test_what_a_log_says_is_no_markup(tmp_path: Path) -> None:
    nasty = {**PARTS, "inductor_config[max_autotune]": "<script>alert(1)</script>"}
    start = started(tmp_path, start_of(nasty), start_of())
    page = html.render(replace(analyze(start.run), start=start))
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
