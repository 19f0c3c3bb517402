"""Tests of how long ranks waited for one that compiled, and how near their limit was."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import ca_reports
from ca_reports.costs.waits import gave_up
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.output import prompt, terminal
from ca_reports.output import ranks as rank_lines
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

TIMED_OUT = (
    "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 6000ms for recv "
    "operation to complete"
)
SIZES = "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 5"


def guards(log: LogWriter, compile_id: str, time: float, shape: list[int]) -> None:
    arguments = {"x": {"type": "Tensor", "shape": shape}}
    record = {"schema_version": 1, "time": time, "guards": [], "arguments": arguments}
    log.artifact("ca_guards", record, **log.context(compile_id))


def job(
    tmp_path: Path,
    *,
    compiles: dict[int, float],
    waits: dict[int, float],
    timeout: float | None = 60.0,
    killed: int | None = None,
    error: str | None = None,
    first: int = 8,
) -> Run:
    """Two ranks of six steps of 1 s; before step 3 ranks compile, and others wait in step 3.

    ``killed`` never ends its compile; the other one ends with ``error`` then. ``first`` is a size
    that rank 1 compiles for at first.
    """
    for rank in range(2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False, backend=None)
        group = {"backend": "gloo", "ranks": 2, "timeout": timeout, "shares_sizes": False}
        log.own("ca_group", time=START + 1, **group)
        guards(log, "0/0", START + 1, [first if rank else 8, 4])
        log.compiled("0/0", 2.0, start_time=START + 1)
        starts = [float(step) for step in range(3 if killed == rank else 6)]
        starts = [moment + (waits.get(rank, 0.0) if moment > 3 else 0.0) for moment in starts]
        if killed is not None and killed != rank:
            starts = starts[:4]
        log.own("ca_steps", time=START + 10, of="backward", start=starts)
        if killed == rank:
            guards(log, "0/1", START + 12.5, [5, 4])
        elif rank in compiles:
            log.compiled("0/1", compiles[rank], recompile_reason=SIZES, start_time=START + 12.5)
        if killed != rank:
            end = START + 13 + (waits.get(rank, 0.0) if killed is not None else 20)
            errors = {"error": error.partition(":")[0], "error_text": error} if error else {}
            log.ca_end(end, backwards=0, hits=0, **errors)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    return ca_reports.load([tmp_path / "job"])


def test_a_rank_that_compiles_alone_is_waited_for(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={1: 9.0}, waits={0: 9.0, 1: 9.0}))
    assert analysis.ranks is not None
    (parting,) = analysis.ranks.partings
    assert (parting.ranks, parting.step) == ((1,), 3)
    (stall,) = analysis.ranks.stalls
    assert (stall.rank, stall.step, stall.seconds, stall.is_alone) == (1, 3, 9.0, True)
    assert dict(stall.waited) == {0: 9.0}
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert told[:3] == [
        "rank 1 parts from rank 0 at step 3: only rank 1 compiled 0/1 of `step` "
        "(tensor 'x' size mismatch at index 0. expected 8, actual 5).",
        "rank 1 compiled 0/1 of `step` at step 3 in 9.0 s; 1 other rank waited 9.0 s.",
        "The longest wait was 9.0 s, 15% of the 60 s after which a collective of this job fails.",
    ]
    assert any("run a batch of each size on every rank" in line for line in told)
    document = json.loads(json_output.render(analysis))["ranks"]
    assert (document["longest_wait"], document["timeout"]) == (9.0, 60.0)
    assert document["stalls"][0]["capture"] == "0/1"
    assert document["advice"]


def test_a_wait_near_the_limit_advises_to_raise_it(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={1: 9.0}, waits={0: 9.0, 1: 9.0}, timeout=20.0))
    assert analysis.ranks is not None
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert any("45% of the 20 s" in line and "raise it" in line for line in told)


def test_a_rank_that_compiles_at_half_of_the_steps_is_waited_for_each_time(tmp_path: Path) -> None:
    """The steps in which no rank compiled show what the others usually take."""
    for rank in range(2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False, backend=None)
        guards(log, "0/0", START + 1, [8, 4])
        log.compiled("0/0", 2.0, start_time=START + 1)
        # Each compile of 9 s is in the step before; the other rank waits in its own.
        starts = [0.0, 1.0, 2.0, 12.0, 22.0, 32.0] if rank else [0.0, 1.0, 2.0, 3.0, 13.0, 23.0]
        log.own("ca_steps", time=START + 10, of="backward", start=starts)
        for number, before in enumerate(starts[2:5] if rank else (), 1):
            log.compiled(
                f"0/{number}", 9.0, recompile_reason=SIZES, start_time=START + 10 + before + 0.5
            )
        log.ca_end(START + 50, backwards=0, hits=0)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    analysis = analyze(ca_reports.load([tmp_path / "job"]))
    assert analysis.ranks is not None
    waited = [dict(stall.waited) for stall in analysis.ranks.stalls]
    assert waited == [{0: 9.0}, {0: 9.0}, {0: 9.0}]


def test_without_a_recorded_limit_none_is_said(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={1: 9.0}, waits={0: 9.0, 1: 9.0}, timeout=None))
    assert analysis.ranks is not None
    assert not any(
        "limit" in one or "fails" in one for one in rank_lines.lines(analysis, analysis.ranks)
    )


def test_a_rank_that_takes_longer_for_the_same_is_waited_for_that_long(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={0: 2.0, 1: 9.0}, waits={0: 9.0, 1: 9.0}))
    assert analysis.ranks is not None
    (stall,) = analysis.ranks.stalls
    assert (stall.seconds, stall.is_alone, dict(stall.waited)) == (7.0, False, {0: 7.0})
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert any("share one cache folder" in line for line in told)


def test_ranks_whose_steps_took_no_longer_did_not_wait(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={1: 9.0}, waits={1: 9.0}))
    assert analysis.ranks is not None
    assert not analysis.ranks.stalls
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert "Other ranks wait at the next collective until a rank has compiled." in told


def test_a_job_that_ended_at_the_limit(tmp_path: Path) -> None:
    analysis = analyze(
        job(tmp_path, compiles={}, waits={0: 6.0}, timeout=6.0, killed=1, error=TIMED_OUT)
    )
    assert analysis.ranks is not None
    assert analysis.ranks.gave_up == (0,)
    (stall,) = analysis.ranks.stalls
    assert (stall.rank, stall.seconds, dict(stall.waited)) == (1, None, {0: 5.0})
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert any("was not done when it was ended; 1 other rank waited 5.0 s." in one for one in told)
    assert any(one.startswith("rank 0 ended because a collective waited longer") for one in told)


@pytest.mark.parametrize(("timeout", "is_told"), [(20.0, True), (60.0, False), (None, False)])
def test_the_end_of_a_run_says_when_the_limit_was_near(
    tmp_path: Path, timeout: float | None, is_told: bool
) -> None:
    analysis = analyze(job(tmp_path, compiles={1: 9.0}, waits={0: 9.0, 1: 9.0}, timeout=timeout))
    shown = io.StringIO()
    terminal.render_summary(analysis, Console(file=shown, width=200))
    for text in (shown.getvalue(), prompt.render(analysis)):
        assert ("45% of the 20 s after which a collective" in text) is is_told


def test_first_compiles_for_other_sizes_are_told_apart(tmp_path: Path) -> None:
    analysis = analyze(job(tmp_path, compiles={}, waits={}, first=5))
    assert analysis.ranks is not None
    (apart,) = analysis.ranks.apart
    assert (apart.argument, dict(apart.sizes)) == ("x", {0: (8, 4), 1: (5, 4)})
    told = list(rank_lines.lines(analysis, analysis.ranks))
    assert "8 × 4 on rank 0" in " ".join(told)
    assert any("enable_compiler_collectives" in line for line in told)


@pytest.mark.parametrize(("text", "known"), [(TIMED_OUT, True), ("RuntimeError: no", False)])
def test_what_ends_a_rank_that_waits(tmp_path: Path, text: str, known: bool) -> None:
    run = job(tmp_path, compiles={}, waits={}, error=text)
    assert [gave_up(process) for process in run.processes] == [known, known]
