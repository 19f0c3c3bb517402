"""Words about the caches beside the compile bill."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from rich.console import Console

import ca_reports
from ca_reports.costs.bill import BillLine, compile_bill
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, terminal
from ca_reports.output.timeline import spans
from ca_reports.sentences.bill import about_caches
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.billed import COLD, run_of
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


WARM = {
    "backend_compile_time_s": 5.92,
    "aot_autograd_cumulative_compile_time_us": 5_920_000,
    "remote_cache_time_saved_s": 34.24,
    "inductor_fx_local_cache_hit_count": 1,
    "aotautograd_local_cache_hit_count": 1,
}


def test_what_a_filled_cache_saved_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("0/0", 6.1, WARM))

    (line,) = compile_bill(run)

    assert line.cache == {"fx_hit": 1, "aot_hit": 1}
    assert (line.saved, line.could_save) == (34.24, 0.0)


def test_a_remote_hit_is_told_apart_and_nothing_more_can_be_saved(tmp_path: Path) -> None:
    remote = {
        "inductor_fx_remote_cache_hit_count": 1,
        "aotautograd_remote_cache_hit_count": 1,
    }
    (line,) = compile_bill(run_of(tmp_path, ("0/0", 35.5, {**COLD, **remote})))
    assert line.cache == {"fx_miss": 1, "fx_remote_hit": 1, "aot_miss": 1, "aot_remote_hit": 1}
    assert line.could_save == 0


def test_a_bypassed_cache_says_why_in_every_output(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=False)
    bypass = {
        "cache_state": "bypass",
        "cache_bypass_reason": "Skipping graph with\nfallback ops at 0x7f03e26740e0",
    }
    log.artifact("fx_graph_cache_bypass", bypass, **log.context("0/0"))
    log.artifact("aotautograd_cache_bypass", {"cache_state": "bypass"}, **log.context("0/0"))
    metrics: dict[str, Any] = {**COLD, "triton_compile_time_us": 20_000_000, "start_time": START}
    for cache in ("inductor_fx", "aotautograd"):
        del metrics[f"{cache}_local_cache_miss_count"]
    log.compiled("0/0", 35.5, **metrics)
    log.ca_end(START + 60, backwards=0, hits=0)
    run = ca_reports.load([run_folder(tmp_path, log)])
    analysis = analyze(run)

    (line,) = compile_bill(run)

    reason = "FxGraphCache: Skipping graph with fallback ops"
    assert line.bypasses == {reason: 1, "AOTAutogradCache: no reason given": 1}
    # It is compiled at every start, filled caches or not.
    assert line.could_save == 0
    assert line.kernels == 20
    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=160))
    told = f"Not cached, so compiled at each start (1 graph): {reason}"
    assert told in out.getvalue()
    assert "Triton/C++" in out.getvalue()
    page = html.render(analysis)
    assert told in page
    assert 'id="bill-table"' in page
    labels = [span.label for span in spans(run.processes[0])]
    assert f"backend, Triton/C++ 20.0 s, not cached: {reason}" in labels
    assert "AOT, not cached: AOTAutogradCache: no reason given" in labels


def test_of_many_reasons_the_most_frequent_are_told() -> None:
    bypasses = {f"FxGraphCache: {number}": number for number in range(1, 6)}
    assert list(about_caches([BillLine(0, 1, None, bypasses=bypasses)])) == [
        "Not cached, so compiled at each start (5 graphs): FxGraphCache: 5",
        "Not cached, so compiled at each start (4 graphs): FxGraphCache: 4",
        "Not cached, so compiled at each start (3 graphs): FxGraphCache: 3",
        "and 2 more reasons: see --format json",
    ]
    assert list(about_caches([])) == []
