"""The compile bill, and which functions a comparison of runs says are recompiled more often."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from rich.console import Console

import ca_reports
from ca_reports.comparison.runs import RecompiledFunction, Side, compare
from ca_reports.costs.bill import compile_bill
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.output import terminal
from ca_reports.output.timeline import spans
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.billed import COLD, run_of
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


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


def printed(run: Run, width: int = 120) -> str:
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=width))
    return out.getvalue()


def test_a_column_where_no_function_has_anything_is_left_out(tmp_path: Path) -> None:
    def heads(run: Run) -> list[str]:
        table = printed(run, 80).partition("Seconds compiling\n")[2]
        return table.partition("\n")[0].split()

    assert heads(run_of(tmp_path / "cached", ("0/0", 35.5, COLD)))[-1] == "misses"
    plain = heads(run_of(tmp_path / "plain", ("0/0", 1.0, {})))
    assert plain == ["function", "compiles", "seconds", "Dynamo"]


def test_what_a_terminal_has_no_room_for_is_named_and_nothing_is_cut(tmp_path: Path) -> None:
    metrics: dict[str, Any] = dict(COLD)
    for rank in range(2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run()
        log.compiled("0/0", 35.5, **metrics)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    run = ca_reports.load([tmp_path / "job"])
    table = printed(run, 60).partition("Seconds compiling\n")[2].partition("\n\n")[0]
    heads, line, cells, *rest = table.splitlines()
    assert "…" not in table
    assert heads.split()[:4] == ["process", "function", "compiles", "seconds"]
    assert set(line) == {"─"}
    assert cells.split()[:4] == ["rank", "0", "train.py:7", "1"]
    assert rest[1] == "  In a wider terminal also: backend and misses."
    wide = printed(run, 140).partition("Seconds compiling\n")[2].partition("\n\n")[0]
    assert wide.splitlines()[0].split()[-1] == "misses"
    assert "In a wider terminal" not in wide


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
    assert (
        "A start with these caches filled saves up to 35.3 s; `ca caches` says why this one missed."
        in by_inductor
    )
    assert "Seconds compiling" not in printed(with_backward(tmp_path / "eager", {}))


def test_a_comparison_names_the_function_that_gained_recompiles(tmp_path: Path) -> None:
    again = {"recompile_reason": "0/0: k == 1"}
    base = run_of(tmp_path / "base", ("0/0", 1.0, {}))
    head = run_of(tmp_path / "head", ("0/0", 1.0, {}), ("0/1", 1.0, again), ("0/2", 1.0, again))

    sides = [Side(name, (), analyze(run)) for name, run in (("a", base), ("b", head))]

    assert compare(*sides).recompiled == (RecompiledFunction("train.py", "step", 0, 2),)
    assert compare(sides[1], sides[1]).recompiled == ()


def test_the_timeline_says_whether_a_cache_hit(tmp_path: Path) -> None:
    run = run_of(tmp_path, ("0/0", 35.5, {**COLD, "start_time": START}))
    labels = [span.label for span in spans(run.processes[0])]
    assert labels == ["0/0", "Dynamo", "AOT, cache miss", "backend, cache miss"]
