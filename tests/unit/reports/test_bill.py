"""The compile bill, and which functions a comparison of runs says are recompiled more often."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from rich.console import Console

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.bill import compile_bill
from ca_reports.comparison.runs import RecompiledFunction, Side, compare
from ca_reports.render import html, terminal
from ca_reports.render import json as json_output
from ca_reports.render.timeline import spans
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run

# As torch 2.13.0 writes them with Inductor on a CPU, of two starts of one program.
COLD = {
    "backend_compile_time_s": 35.34,
    "aot_autograd_cumulative_compile_time_us": 35_340_000,
    "inductor_cumulative_compile_time_us": 34_250_000,
    "inductor_fx_local_cache_miss_count": 1,
    "aotautograd_local_cache_miss_count": 1,
}
WARM = {
    "backend_compile_time_s": 5.92,
    "aot_autograd_cumulative_compile_time_us": 5_920_000,
    "remote_cache_time_saved_s": 34.24,
    "inductor_fx_local_cache_hit_count": 1,
    "aotautograd_local_cache_hit_count": 1,
}


def run_of(folder: Path, *compiles: tuple[str, float, dict[str, Any]]) -> Run:
    log = LogWriter()
    log.ca_run(enabled=False)
    for compile_id, seconds, metrics in compiles:
        log.compiled(compile_id, seconds, **metrics)
    log.ca_end(START + 60, backwards=0, hits=0)
    return ca_reports.load([run_folder(folder, log)])


def test_a_function_is_billed_with_its_phases_and_caches(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("0/0", 35.5, COLD), ("0/1", 0.5, {"recompile_reason": "0/0: k == 1"}))

    (line,) = compile_bill(run)

    assert (line.compiles, line.recompiles, line.seconds) == (2, 1, 36.0)
    assert line.cache == {"fx_miss": 1, "aot_miss": 1}
    assert round(line.phases["backend"], 2) == 34.25
    # The recompile used no cache, so a filled one would not help it.
    assert round(line.could_save, 2) == 35.34
    (billed,) = json.loads(json_output.render(analyze(run)))["compile_bill"]
    assert billed["cache"] == {"fx_miss": 1, "aot_miss": 1}


def printed(run: Run) -> str:
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=120))
    return out.getvalue()


def test_a_run_with_backwards_has_a_bill_where_caches_took_part(tmp_path: Path) -> None:
    # GIVEN a run under compiled autograd, whose forward was compiled with Inductor or without
    def with_backward(folder: Path, metrics: dict[str, Any]) -> Run:
        log = LogWriter()
        log.ca_run(enabled=True)
        log.compiled("0/0", 35.5, **metrics)
        log.torch_capture(0)
        log.ca_capture(0)
        log.ca_end(START + 60, backwards=1, hits=0)
        return ca_reports.load([run_folder(folder, log)])

    by_inductor = printed(with_backward(tmp_path / "inductor", COLD))
    assert "Seconds compiling" in by_inductor
    assert "A start with these caches filled saves up to 35.3 s." in by_inductor
    assert "Seconds compiling" not in printed(with_backward(tmp_path / "eager", {}))


def test_what_a_filled_cache_saved_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("0/0", 6.1, WARM))

    (line,) = compile_bill(run)

    assert line.cache == {"fx_hit": 1, "aot_hit": 1}
    assert (line.saved, line.could_save) == (34.24, 0.0)


def test_a_comparison_names_the_function_that_gained_recompiles(tmp_path: Path) -> None:
    again = {"recompile_reason": "0/0: k == 1"}
    base = run_of(tmp_path / "base", ("0/0", 1.0, {}))
    head = run_of(tmp_path / "head", ("0/0", 1.0, {}), ("0/1", 1.0, again), ("0/2", 1.0, again))

    sides = [Side(name, (), analyze(run)) for name, run in (("a", base), ("b", head))]

    assert compare(*sides).recompiled == (RecompiledFunction("train.py", "step", 0, 2),)
    assert compare(sides[1], sides[1]).recompiled == ()


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


def test_the_timeline_says_whether_a_cache_hit(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("0/0", 35.5, {**COLD, "start_time": START}))
    labels = [span.label for span in spans(run.processes[0])]
    assert labels == ["0/0", "Dynamo", "AOT, cache miss", "backend, cache miss"]
