"""One program under each torch: its trace and its TORCH_LOGS text tell the same."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_engine import guards
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.refusals import refusal
from tests.unit.tlparse_ids import tlparse_ids

if TYPE_CHECKING:
    from ca_reports.run.model import Run

LOGS = Path(__file__).parents[2] / "fixtures" / "torch"
VERSIONS = sorted(path.name.removesuffix(".log.gz") for path in LOGS.glob("*.log.gz"))
TRAIN = "/home/user/train.py"

pytestmark = pytest.mark.parametrize("version", VERSIONS)


def test_there_are_versions(version: str) -> None:
    assert (LOGS / f"{version}.txt.gz").is_file()


def both(version: str) -> tuple[Run, Run]:
    return ca_reports.load([LOGS / f"{version}.log.gz"]), ca_reports.load(
        [LOGS / f"{version}.txt.gz"]
    )


def captures(run: Run) -> list[Any]:
    return [
        (
            found.label, found.kind, found.reason, found.node, found.key_size,
            found.previous_key_sizes, found.sizes_changed, found.sizes_total, found.backward_call,
        )
        for found in run.captures
    ]  # fmt: skip


def recompiles(run: Run) -> list[Any]:
    return [
        (found.compile_id, guards.parse(found.recompile_reason or "")[0])
        for found in run.compiles
        if found.has_failed_guards
    ]


def breaks(run: Run) -> list[Any]:
    return [
        (found.reason, found.explanation, found.location, found.stack, found.count)
        for found in run.graph_breaks
    ]


def test_the_captures(version: str) -> None:
    trace, text = both(version)
    assert [(found.kind, found.node and found.node.name) for found in trace.captures] == [
        ("first", "torch::autograd::GraphRoot"),
        ("new_autograd_node", "SinBackward0"),
        ("changed_shapes", None),
    ]
    for capture in trace.captures:
        call = capture.backward_call
        assert call is not None
        assert (call.file, call.line, call.code) == (TRAIN, 19, "loss.backward()")
    assert captures(text) == captures(trace)
    graphs = [
        [found.graph.text if found.graph else "" for found in run.captures] for run in (trace, text)
    ]
    assert all(graph.startswith("class CompiledAutograd") for both in graphs for graph in both)


def test_the_recompiles(version: str) -> None:
    trace, text = both(version)
    told = [(id, guard.text) for id, guard in recompiles(text) if id.startswith("0/")]
    assert told == [
        ("0/1", "mode == 'first'"), ("0/2", "mode == 'second'"), ("0/3", "mode == 'third'"),
    ]  # fmt: skip
    in_trace = dict(recompiles(trace))
    # The last compile is one that never was: its metrics do not say of what.
    assert len(in_trace) >= len(recompiles(text)) - 1
    for id, guard in recompiles(text):
        if id in in_trace:
            assert guard == in_trace[id]


def test_the_limit(version: str) -> None:
    for run in both(version):
        limits = [found.compile_id for found in run.compiles if refusal(found.fail_reason or "")]
        assert "0/3" in limits
        (found,) = [found for found in analyze(run).diagnosis.findings if found.code == "CA402"]
        assert found.location is not None
        assert found.location.file == TRAIN


@pytest.mark.parametrize("words", ["recompile_limit reached", "cache_size_limit reached"])
def test_the_limit_in_the_words_of_older_torch(tmp_path: Path, version: str, words: str) -> None:
    data = gzip.decompress((LOGS / f"{version}.log.gz").read_bytes())
    older, replaced = re.subn(
        rb'("fail_reason": ")[^"]*recompile(?: limit exceeded|_limit reached)(?:[^"\\]|\\.)*',
        lambda found: found[1] + words.encode(),
        data,
    )
    assert replaced
    path = tmp_path / "trace.log"
    path.write_bytes(older)
    assert "CA402" in [found.code for found in analyze(ca_reports.load([path])).diagnosis.findings]


def test_the_graph_breaks(version: str) -> None:
    trace, text = both(version)
    ((reason, _, location, _, count),) = breaks(text)
    assert (reason, location.line, count) == ("Call to `torch._dynamo.graph_break()`", 13, 2)
    assert breaks(text) == breaks(trace)


def test_what_torch_has_compiled_around_a_captured_graph_is_nobodys(version: str) -> None:
    # 2.14 compiles functions of Python's `inspect` on the way from the engine to the graph.
    for run in both(version):
        again = [found for found in run.compiles if found.internal and found.recompile_reason]
        assert bool(again) == version.startswith("2.14.")
        places = [again.location for again in run.recompiles]
        places += [found.location for found in run.graph_breaks]
        assert {place.file for place in places if place is not None} == {TRAIN}
        assert not any("inspect.py" in str(found) for found in analyze(run).diagnosis.findings)


def test_times(version: str) -> None:
    """Text has local times without a year: how far apart is what can be compared."""
    trace, text = both(version)
    first, second = (
        [found.time - run.captures[0].time for found in run.captures if found.time is not None
         and run.captures[0].time is not None]
        for run in (trace, text)
    )  # fmt: skip
    assert len(first) == len(second) == 3
    assert second == pytest.approx(first, abs=0.15)
    assert all(capture.seconds.total is None for capture in text.captures)


def test_tlparse_finds_the_same_compile_ids(version: str, tmp_path: Path) -> None:
    log = tmp_path / "trace.log"
    log.write_bytes(gzip.decompress((LOGS / f"{version}.log.gz").read_bytes()))
    known = ca_reports.load([log]).compile_ids()
    assert tlparse_ids(log, tmp_path / "out") == set(known)


def test_stderr_and_trace_are_one_process(version: str, tmp_path: Path) -> None:
    trace, text = (gzip.decompress((LOGS / f"{version}.{end}.gz").read_bytes())
                   for end in ("log", "txt"))  # fmt: skip
    (tmp_path / "trace.log").write_bytes(trace)
    (tmp_path / "stderr.log").write_bytes(b"step 1\n" + text)
    run = ca_reports.load([tmp_path])
    (process,) = run.processes
    assert not run.damage
    assert captures(run) == captures(both(version)[0])
    assert process.from_text is False
