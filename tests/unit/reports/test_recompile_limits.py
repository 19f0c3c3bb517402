"""Functions that hit a recompile limit: when, and how long a step took before and after."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.recompile_limits import RecompileLimit, recompile_limits
from ca_reports.render import html, terminal
from ca_reports.render import json as as_json
from ca_reports.text.limits import words_of
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run

ACCUMULATED = (
    "Dynamo recompile limit exceeded\n  Explanation: Dynamo attempted to recompile the code object "
    "too many times, exceeding the accumulated_recompile_limit cache size limit (currently set "
    "to 256)."
)


def run_of(
    folder: Path,
    *,
    before: float = 0.02,
    after: float = 0.05,
    reason: str = ACCUMULATED,
    of: str = "backward",
    compile_in_each: bool = False,
) -> Run:
    """Ten steps of ``before`` seconds, the limit in the eleventh, ten of ``after`` seconds.

    With ``compile_in_each`` every step until then also holds a compile of a second.
    """
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    log.compiled("0/0", start_time=START)
    time, starts = START + 2.0, []
    for step in range(10):
        starts.append(time)
        if compile_in_each:
            log.compiled(
                f"0/{step + 1}", 1.0, start_time=time + before / 2, recompile_reason="0/0: n == 1"
            )
            time += 1.0
        time += before
    log.compiled(
        "0/11",
        0.001,
        graphs=0,
        co_filename=None,
        start_time=time - before / 2,
        recompile_reason="0/0: n == 1",
        fail_type="Unsupported",
        fail_reason=reason,
    )
    starts += [time + after * step for step in range(11)]
    begins = [round(start - starts[0], 6) for start in starts]
    log.own("ca_steps", time=starts[0], of=of, start=begins)
    log.ca_end(starts[-1], 0, 0)
    return ca_reports.load([str(log.write(folder / "trace.log"))])


def limit_of(run: Run) -> RecompileLimit:
    (found,) = recompile_limits(run.processes[0])
    return found


def test_a_limit_says_which_when_and_how_fast_steps_were(tmp_path: Path) -> None:
    found = limit_of(run_of(tmp_path))
    assert (found.name, found.step) == ("accumulated_recompile_limit", 10)
    assert found.before is not None
    assert abs(found.before - 0.02) < 1e-3
    assert found.after is not None
    assert abs(found.after - 0.05) < 1e-3
    assert found.into_run is not None
    assert abs(found.into_run - 2.19) < 1e-2
    # The compile that Dynamo gave up names no function; the others of its code do.
    assert found.location is not None
    assert found.location.function == "step"
    told = words_of(found)
    assert "hit accumulated_recompile_limit 2.2 s into the run (step 10)" in told
    assert "a step takes 50 ms instead of 20 ms (2.5 times as long)" in told


def test_where_each_step_compiled_nobody_knows_how_long_one_took(tmp_path: Path) -> None:
    """What was left of them without the compiles came to be seven times an uncompiled step."""
    found = limit_of(run_of(tmp_path, compile_in_each=True))
    assert found.before is None
    assert found.after is not None
    assert words_of(found).endswith("runs uncompiled since")


def test_named_steps_do_where_there_is_no_backward(tmp_path: Path) -> None:
    assert limit_of(run_of(tmp_path, of="named")).step == 10


def test_a_log_without_steps_says_when_and_no_more(tmp_path: Path) -> None:
    log = LogWriter()
    log.compiled("0/0", start_time=START)
    log.compiled("0/1", start_time=START + 1, fail_reason="recompile_limit reached")
    found = limit_of(ca_reports.load([str(log.write(tmp_path / "trace.log"))]))
    assert (found.name, found.step, found.before, found.after) == (
        "recompile_limit", None, None, None,
    )  # fmt: skip
    assert words_of(found) == "hit recompile_limit and runs uncompiled since"


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


def test_every_output_has_the_limit(tmp_path: Path) -> None:
    analysis = analyze(run_of(tmp_path))
    (told,) = json.loads(as_json.render(analysis))["limits"]
    assert told["limit"] == "accumulated_recompile_limit"
    assert told["step"] == 10
    assert told["step_after"] > told["step_before"]
    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=120))
    assert "Functions that hit a recompile limit" in out.getvalue()
    assert "50 ms" in out.getvalue()
    assert "Functions that hit a recompile limit" in html.render(analysis)
