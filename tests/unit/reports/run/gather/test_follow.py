"""Files that grow while they are read, and the screen of `ca watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.gather.follow import Follower
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


def facts(run: Run) -> list[object]:
    return [
        (found.id, found.kind, found.reason, found.autograd_graph) for found in run.captures
    ] + [(found.compile_id, found.seconds) for found in run.compiles]


@pytest.mark.long
@given(cuts=st.lists(st.integers(0, 100_000), max_size=8))
def test_in_whatever_pieces_a_file_grows_it_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    data = sample_run().data
    path = tmp_path_factory.mktemp("grows") / "trace.log"
    follower = Follower([str(path)])
    ends = [*sorted({cut % len(data) for cut in cuts}), len(data)]
    begin = 0
    for end in ends:
        with path.open("ab") as file:
            file.write(data[begin:end])
        run = follower.poll()
        begin = end
    run = follower.poll()  # nothing new: the last record is whole now
    whole = ca_reports.load([path])
    assert facts(run) == facts(whole)
    assert run.processes[0].backwards == whole.processes[0].backwards
    assert run.processes[0].end == whole.processes[0].end


def test_a_run_that_was_handed_out_stays_as_it_was(tmp_path: Path) -> None:
    log = sample_run()
    log.compiled("!2/9/0", seconds=0.25, backend_compile_time_s=0.15)
    before = len(log.data)
    log.own(schema.LOWERING_RECORD, capture=2, way="l2", seconds=0.5)
    path = tmp_path / "trace.log"
    follower = Follower([str(path)])
    handed_out = []
    for end in (before // 3, before // 2, before, len(log.data)):
        path.write_bytes(log.data[:end])
        follower.poll()
        run = follower.poll()  # nothing new: the last record is whole now
        handed_out.append((run, repr(run)))
    assert handed_out[-1][0].compiles[-1].phases != handed_out[-2][0].compiles[-1].phases
    for run, then in handed_out:
        assert repr(run) == then


def test_what_only_a_page_shows_is_not_kept(tmp_path: Path) -> None:
    path = sample_run().write(tmp_path / "trace.log")
    follower = Follower([str(path)])
    follower.poll()
    run = follower.poll()
    whole = ca_reports.load([path])
    texts = [found.graph and found.graph.text for found in whole.captures]
    assert any(texts)
    assert [found.graph and found.graph.text for found in run.captures] == texts
    assert not any(found.guards for found in run.compiles if found.capture is not None)


def test_findings_that_graphs_tell_are_found_while_watching(tmp_path: Path) -> None:
    """Torch's own log: `train()` and `eval()` by turns shows in the captured graphs alone."""
    log = LogWriter()
    operation = "torch__dynamo_compiled_autograd_ops_"
    reasons = []
    for id, training in enumerate((True, False)):
        node = "ReluBackward0" if id else "torch::autograd::GraphRoot"
        reasons.append(
            f"!{id}: Cache miss due to new autograd node: {node} (NodeCall {id}) "
            "with key size 39, previous key sizes=[]"
        )
        norm = f"NativeBatchNormBackward0([g], [True, True, True], 1e-05, g, {training}, getitem_7)"
        code = f"a = {operation}ReluBackward0([g], g)\na = {operation}{norm}\n"
        log.torch_capture(id, list(reasons), 0.5, code)
        log.compiled(f"!{id}/{id}/0", 0.5)
    trace = log.write(tmp_path / "trace.log")
    follower = Follower([str(trace)])
    follower.poll()
    live, read = analyze(follower.poll()), analyze(ca_reports.load([trace]))
    assert "CA205" in {found.code for found in read.diagnosis.findings}
    assert live.diagnosis.findings == read.diagnosis.findings


def test_files_that_appear_and_files_that_begin_again(tmp_path: Path) -> None:
    follower = Follower([str(tmp_path)])
    first = sample_run()
    first.write(tmp_path / "a.log")
    follower.poll()
    assert len(follower.poll().captures) == 3
    second = LogWriter(pid=9, rank=1)
    second.ca_run()
    second.ca_capture(0)
    second.write(tmp_path / "b.log")
    follower.poll()
    assert len(follower.poll().captures) == 4
    # A restarted job writes the same file from its beginning.
    second.write(tmp_path / "a.log")
    follower.poll()
    assert len(follower.poll().captures) == 1


def test_a_file_of_the_kernel_among_the_logs_is_not_read(tmp_path: Path) -> None:
    """Reading `/proc/kmsg` waits for ever."""
    (tmp_path / "kernel.log").symlink_to("/proc/kmsg")
    sample_run().write(tmp_path / "trace.log")
    follower = Follower([str(tmp_path)])
    follower.poll()
    assert len(follower.poll().captures) == 3


def test_a_file_that_is_gone_keeps_what_was_read(tmp_path: Path) -> None:
    path = sample_run().write(tmp_path / "logs" / "a.log")
    other = LogWriter(pid=7)
    other.ca_run()
    other.write(tmp_path / "logs" / "b.log")
    follower = Follower([str(tmp_path / "logs")])
    follower.poll()
    path.unlink()
    assert len(follower.poll().processes) == 1


def test_its_figures_are_those_of_the_log_read_at_once(tmp_path: Path) -> None:
    trace = tmp_path / "trace.log"
    follower = Follower([str(trace)])
    log = LogWriter()
    log.ca_run()
    for id in range(30):
        log.ca_capture(id, "new_autograd_node" if id else "first")
        log.compiled(f"!{id}/{id}/0", 0.5)
        log.ca_backwards([(id, 1), (id, 0)], 2 * id)
        # Half of the record first: a watch looks when it likes.
        trace.write_bytes(log.data[: -len(log.records[-1]) // 2])
        follower.poll()
        trace.write_bytes(log.data)
        follower.poll()
        live, read = analyze(follower.poll()), analyze(ca_reports.load([trace]))
        assert live.summary == read.summary
        # The numbers of their lines, too.
        assert live.diagnosis.findings == read.diagnosis.findings


def test_two_causes_of_one_recompile_are_both_found(tmp_path: Path) -> None:
    """Torch names one; the other is in the guards of the compiles."""
    log = LogWriter()
    for number, (length, scale) in enumerate(((2, 0.5), (3, 0.25))):
        context = log.context(f"0/{number}")
        tree = (
            f"| | +- LENGTH_CHECK: len(L['xs']) == {length}\n"
            f"| | +- EQUALS_MATCH: L['s'] == {scale}    # return x * s  # train.py:6 in f\n"
        )
        log.record("dynamo_cpp_guards_str", {}, tree, **context)
        log.compiled(f"0/{number}", 0.5, recompile_reason="0/0: len(xs) == 2" if number else None)
    trace = log.write(tmp_path / "trace.log")
    follower = Follower([str(trace)])
    follower.poll()
    live, read = analyze(follower.poll()), analyze(ca_reports.load([trace]))
    assert {found.code for found in read.diagnosis.findings} == {"CA702", "CA710"}
    assert live.diagnosis.findings == read.diagnosis.findings
