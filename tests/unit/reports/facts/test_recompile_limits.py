"""Functions that hit a recompile limit: when, and how long a step took before and after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as as_json
from ca_reports.sentences.limits import words_of
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.limited import ACCUMULATED, limit_of, run_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


def test_named_steps_do_where_there_is_no_backward(tmp_path: Path) -> None:
    assert limit_of(run_of(tmp_path, of="named")).step == 10


def infers(folder: Path, *, quiet_before: int = 5) -> Run:
    """Nothing names a step; calls of 2 ms until the limit, of 5 ms since; another one's of 1 s."""
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    log.compiled("0/0", start_time=START)
    at = START + 10
    refused: dict[str, Any] = {
        "recompile_reason": "0/0: n == 1",
        "fail_type": "Unsupported",
        "graphs": 0,
    }
    log.compiled("0/1", 0.001, start_time=at + 0.001, fail_reason=ACCUMULATED, **refused)
    calls = [(0, at - 1 + call / 10, 0.002) for call in range(quiet_before)]
    calls += [(0, at, 0.006)]
    calls += [(0, at + 1 + call / 10, 0.005) for call in range(5)]
    calls += [(1, at + 3 + 2 * call, 1.0) for call in range(5)]
    log.own(
        "ca_calls",
        time=at - 1,
        callable=[number for number, _, _ in calls],
        start=[start - (at - 1) for _, start, _ in calls],
        seconds=[took for _, _, took in calls],
    )
    log.ca_end(at + 20, 0, 0)
    return ca_reports.load([str(log.write(folder / "trace.log"))])


def test_calls_do_where_nothing_names_a_step(tmp_path: Path) -> None:
    found = limit_of(infers(tmp_path))
    assert (found.step, found.per) == (None, "call")
    assert "a call takes 5 ms instead of 2 ms (2.5 times as long)" in words_of(found)
    (told,) = json.loads(as_json.render(analyze(infers(tmp_path))))["limits"]
    assert told["per"] == "call"


def test_a_function_that_recompiled_in_each_call_has_no_time_before(tmp_path: Path) -> None:
    found = limit_of(infers(tmp_path, quiet_before=2))
    assert (found.before, found.slowdown) == (None, None)
    assert found.after == pytest.approx(0.005)


def test_broken_calls_are_damage(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    whole: dict[str, Any] = {"time": START, "callable": [0], "start": [0.0], "seconds": [1.0]}
    broken: list[dict[str, Any]] = [
        {"callable": []},
        {"time": None},
        {"start": ["soon"]},
        {"seconds": [1.0, 2.0]},
    ]
    for damage in broken:
        log.own("ca_calls", **{**whole, **damage})
    run = ca_reports.load([str(log.write(tmp_path / "trace.log"))])
    assert sum(found.count for found in run.damage) == len(broken)
    assert run.processes[0].calls == ()


def test_broken_steps_are_damage(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    broken: list[dict[str, Any]] = [
        {"time": START, "start": []},
        {"time": None, "start": [0.0]},
        {"time": START, "start": ["soon"]},
    ]
    for body in broken:
        log.own("ca_steps", of="backward", **body)
    run = ca_reports.load([str(log.write(tmp_path / "trace.log"))])
    assert sum(found.count for found in run.damage) == len(broken)


def test_a_compile_that_was_refused_is_no_compile(tmp_path: Path) -> None:
    run = run_of(tmp_path, compile_in_each=True)
    summary = analyze(run).summary
    assert (summary.forward_compiles, summary.forward_recompiles) == (11, 10)
    assert [found.is_recompile for found in run.compiles[-2:]] == [True, False]
    (finding,) = (one for one in analyze(run).diagnosis.findings if one.compile_ids)
    assert finding.count == 10
    told = json.loads(as_json.render(analyze(run)))
    assert len(told["dynamo_recompiles"]) == told["forward"]["recompiles"] == 10
    assert told["compile_bill"][0]["compiles"] == 11
    assert [(one["value"], one["reason"]) for one in told["limits"]] == [(256, "0/0: n == 1")]
