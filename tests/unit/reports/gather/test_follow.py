"""Files that grow while they are read, and the screen of `ca watch`."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports.analysis import analyze
from ca_reports.gather.follow import Follower
from ca_reports.live import LiveAnalysis
from ca_reports.render.watch import view
from tests.unit.logwriter import START, LogWriter, run_file, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run


def screen(run: Run, now: float = START + 50) -> str:
    buffer = io.StringIO()
    Console(file=buffer, width=140).print(view(analyze(run), now))
    return buffer.getvalue()


def facts(run: Run) -> list[object]:
    return [
        (found.id, found.kind, found.reason, found.autograd_graph) for found in run.captures
    ] + [(found.compile_id, found.seconds) for found in run.compiles]


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


def test_the_screen_of_a_run(tmp_path: Path) -> None:
    sample_run().write(tmp_path / "run" / "trace" / "x.log")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps(run_file(end=None, exit_code=None)))
    follower = Follower([str(tmp_path / "run")])
    follower.poll()
    text = screen(follower.poll())
    assert "running for 50 s" in text
    assert "pid 4711" in text
    assert "70%" in text
    assert "PowBackward0" in text
    assert text.index("!2") < text.index("!1 ")
    file.write_text(json.dumps(run_file()))
    assert "ended with exit code 0 after 9 s" in screen(follower.poll())


def test_the_screen_before_the_first_record(tmp_path: Path) -> None:
    (tmp_path / "run" / "trace").mkdir(parents=True)
    (tmp_path / "run" / "run.json").write_text(json.dumps(run_file(end=None)))
    assert "No process has written a record yet." in screen(
        Follower([str(tmp_path / "run")]).poll()
    )


def test_nothing_of_a_log_steers_the_screen(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_capture(1, "unknown", reason="\x1b[2J[red]boo[/red]\u202e")
    log.write(tmp_path / "x.log")
    follower = Follower([str(tmp_path / "x.log")])
    follower.poll()
    text = screen(follower.poll())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]boo[/red]" in text


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
