"""A run that is analyzed while it goes on."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports import load
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.live import LiveAnalysis
from ca_reports.run.gather.follow import Follower
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_watching_many_captures_takes_little_memory(tmp_path: Path) -> None:
    """Their graphs have most nodes in common; decoded, each of them takes 30 KB."""

    def taken(captures: int) -> int:
        log = LogWriter()
        log.ca_run()
        nodes: list[dict[str, Any]] = [
            {"index": index, "name": "MulBackward0", "tensors": {"self": {"shape": [8, index]}}}
            for index in range(60)
        ]
        for id in range(captures):
            nodes[3] = {"index": 3, "name": "PowBackward0", "attributes": {"exponent": id}}
            change = {"index": 3, "name": "PowBackward0", "attribute": "exponent"}
            log.ca_capture(
                id,
                "new_autograd_node" if id else "first",
                autograd_graph=nodes,
                closest_capture=id - 1 if id else None,
                changes=[{**change, "before": id - 1, "after": id}] if id else [],
            )
        path = log.write(tmp_path / f"{captures}.log")
        follower, live = Follower([str(path)]), LiveAnalysis()
        tracemalloc.start()
        try:
            analysis = live.look(follower.poll())
            assert len(analysis.facts[0].captures) >= captures - 1
            live.look(follower.poll(), afresh=True)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    taken(20)  # what is imported and cached at the first time
    assert (taken(900) - taken(300)) / 600 < 6_500


@pytest.mark.long
def test_watching_many_backwards_takes_little_memory(tmp_path: Path) -> None:
    """Their columns take 34 bytes each; an object for each would take a hundred."""
    rows = 50_000

    def taken(several: int) -> int:
        log = LogWriter()
        log.ca_run()
        log.ca_capture(0)
        log.ca_capture(1, "new_autograd_node", step=1, closest_capture=0)
        log.compiled("4/0", 0.5)
        log.compiled("4/1", 0.5, recompile_reason="4/0: n == 1")
        for first in range(2, several * rows, 1_000):
            log.ca_backwards([(0, 0)] * 1_000, first)
        path = log.write(tmp_path / "trace.log")
        follower, live = Follower([str(path)]), LiveAnalysis()
        follower.poll()
        run = follower.poll()
        tracemalloc.start()
        try:
            live.look(run)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    taken(1)  # what is imported and cached at the first time
    assert (taken(2) - taken(1)) / rows < 20


@pytest.mark.long
def test_watching_unpacks_no_guards_for_good(tmp_path: Path) -> None:
    """Of one compile they are 60 KB, and a diagnosis looks into those of each recompile."""

    def taken(compiles: int) -> int:
        log = LogWriter()
        log.ca_run()
        for id in range(compiles):
            log.compiled(f"{id}/0")
            log.compiled(f"{id}/1", recompile_reason=f"{id}/0: n == {id}")
            for one in (f"{id}/0", f"{id}/1"):
                guards = f"+- EQUALS_MATCH: L['n'] == {id}\n" + f"| +- TYPE: {one} x\n" * 4_000
                log.record("dynamo_cpp_guards_str", {}, guards, **log.context(one))
        path = log.write(tmp_path / f"{compiles}.log")
        follower, live = Follower([str(path)]), LiveAnalysis()
        tracemalloc.start()
        try:
            analysis = live.look(follower.poll())
            assert len(analysis.run.recompiles) >= compiles - 1
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    taken(10)  # what is imported and cached at the first time
    assert (taken(60) - taken(20)) / 40 < 40_000


def test_it_diagnoses_every_few_seconds_and_counts_at_each_look(tmp_path: Path) -> None:
    run = load([sample_run().write(tmp_path / "x.log")])
    (process,) = run.processes
    before = replace(run, processes=(replace(process, captures=process.captures[:1], compiles=()),))
    now = [100.0]
    live = LiveAnalysis(clock=lambda: now[0])

    assert live.look(before).diagnosis.findings == ()
    # Captures that come a second later are counted, and not yet diagnosed.
    now[0] += 1.0
    soon = live.look(run)
    assert soon.summary.captures == len(process.captures)
    assert soon.diagnosis.findings == ()
    # Some seconds later they are, and at once for a view that is the last.
    expected = analyze(run).diagnosis.findings
    assert live.look(run, afresh=True).diagnosis.findings == expected
    now[0] += 3.0
    assert live.look(run).diagnosis.findings == expected
