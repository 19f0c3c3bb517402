"""The page's view of the sizes of inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output.sizes_view import sizes_view
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import automatic, counted, training
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_a_function_has_its_histogram_and_its_plans(tmp_path: Path) -> None:
    view = sizes_view(analyze(loaded(automatic({60: 40, 64: 30, 250: 5}), tmp_path)))
    assert view is not None
    (one,) = view.functions
    ((title, drawn),) = one.histograms
    assert title.startswith("ids[1], mask[1]: 4 sizes, 32–250")
    assert drawn.startswith("<svg ")
    assert drawn.count('class="calls"') == 4
    assert len([row for row in one.rows if row.is_best]) == 1
    assert len([row for row in one.rows if row.is_now]) == 1
    assert {len(row.cells) for row in one.rows} == {len(one.headings)}


def test_the_page_has_a_tab_with_the_picture(tmp_path: Path) -> None:
    page = html.render(analyze(loaded(automatic({60: 40, 64: 30, 250: 5}), tmp_path)))
    assert '<a href="#sizes">Sizes <span class="n">1</span></a>' in page
    view = page[page.index('data-view="sizes"') : page.index('data-view="log"')]
    assert "<title>250–252: 5 times</title>" in view
    assert "mark_dynamic" in view


def test_a_run_whose_sizes_did_not_vary_has_no_view(tmp_path: Path) -> None:
    analysis = analyze(loaded(automatic({32: 3}), tmp_path))
    assert sizes_view(analysis) is None
    assert 'href="#sizes"' not in html.render(analysis)


def test_of_several_ranks_it_is_said_whose_sizes_they_are(tmp_path: Path) -> None:
    for rank in range(2):
        log = automatic({60: 40, 64: 30, 250 + rank: 5}, rank=rank)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    view = sizes_view(analyze(ca_reports.load([tmp_path / "job"])))
    assert view is not None
    assert sorted(one.title for one in view.functions) == [
        "rank 0: step train.py:7, 76 calls",
        "rank 1: step train.py:7, 76 calls",
    ]


def test_names_of_a_log_are_no_markup(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    counted(
        log, "0/0", inputs={"batch['<script>alert(1)']": ["s0"]}, symbols=["s0"],
        sizes=[[3], [9]], calls=[4, 5], steps=[0.1, 0.2], seconds=[0.1, 0.2],
    )  # fmt: skip
    training(log)
    log.ca_end(START + 9, 0, 0)
    page = html.render(analyze(loaded(log, tmp_path)))
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
