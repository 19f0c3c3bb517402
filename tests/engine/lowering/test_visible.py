"""What torch shows of a compilation is there of a lowered graph as well, and reads the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import torch
import torch._dynamo
from torch._dynamo.callback import callback_handler
from torch._dynamo.utils import counters, get_compilation_metrics
from torch._logging import structured

import ca_engine
import ca_reports
from ca_reports.output import tlparse

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

BACKENDS = ("eager", "aot_eager", "inductor")


class Seen(NamedTuple):
    started: list[str]
    ended: list[str]
    metrics: list[Any]
    counts: dict[str, int]


def train(backend: str, lowering: bool) -> Seen:
    """Two captures, the second because ``.grad`` is there; and a hit."""
    torch._dynamo.reset()
    torch._dynamo.utils.clear_compilation_metrics()
    counters.clear()
    started: list[str] = []
    ended: list[str] = []
    callback_handler.register_start_callback(lambda args: started.append(args.compile_id))
    callback_handler.register_end_callback(lambda args: ended.append(args.compile_id))
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
    captured = partial(torch.compile, backend=backend, dynamic=False)
    with ca_engine.enable(captured, lowering=lowering):
        for _ in range(3):
            model(torch.ones(4, 3)).sum().backward()
    counted = {
        f"{group}.{name}": counters[group][name]
        for group, name in (
            ("frames", "total"),
            ("frames", "ok"),
            ("stats", "unique_graphs"),
        )
    }
    seen = Seen(started, ended, get_compilation_metrics(), counted)
    torch._dynamo.reset()
    return seen


def recorded(folder: Path, backend: str, lowering: bool) -> Run:
    place = folder / f"run{lowering}"
    # Torch writes a file's name once in a process, and this one may have been through it.
    structured.INTERN_TABLE.clear()
    with ca_engine.record(place):
        train(backend, lowering)
    return ca_reports.load([place])


def without_capture(compile_id: str) -> str:
    return compile_id.partition("/")[2]


@pytest.mark.long
@pytest.mark.parametrize("backend", BACKENDS)
def test_ids_callbacks_and_counters_are_those_of_dynamo(backend: str) -> None:
    dynamo, lowered = train(backend, lowering=False), train(backend, lowering=True)
    assert [without_capture(each) for each in lowered.started] == ["0/0", "1/0"]
    assert [without_capture(each) for each in dynamo.started] == ["0/0", "1/0"]
    assert lowered.ended == lowered.started
    assert all(each.startswith("!") for each in lowered.started)
    assert lowered.counts == dynamo.counts


@pytest.mark.parametrize("backend", BACKENDS)
def test_metrics_tell_the_same_of_a_compilation(backend: str) -> None:
    dynamo, lowered = train(backend, lowering=False), train(backend, lowering=True)
    assert len(lowered.metrics) == len(dynamo.metrics) == 2
    for ours, theirs in zip(lowered.metrics, dynamo.metrics, strict=True):
        assert without_capture(ours.compile_id) == without_capture(theirs.compile_id)
        assert (ours.co_name, ours.is_forward) == (theirs.co_name, theirs.is_forward)
        assert ours.co_filename.partition(".")[0] == theirs.co_filename.partition(".")[0]
        assert ours.fail_type is theirs.fail_type is None
        assert ours.has_guarded_code is theirs.has_guarded_code is True
        assert ours.entire_frame_compile_time_s > 0
        assert ours.start_time <= theirs.start_time + 60 * 60
        if backend != "eager":
            assert 0 < ours.backend_compile_time_s <= ours.entire_frame_compile_time_s
        assert ours.stack_trace[-1].endswith(f"Filename: {ours.co_filename}")
        # The frames on the way to the captured graph, from the script on
        assert ours.stack_trace[0] == theirs.stack_trace[0]


@pytest.mark.long
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_report_reads_either_way_alike(backend: str, tmp_path: Path) -> None:
    dynamo, lowered = (recorded(tmp_path, backend, lowering) for lowering in (False, True))
    for ours, theirs in zip(lowered.captures, dynamo.captures, strict=True):
        assert list(map(without_capture, ours.compile_ids)) == list(
            map(without_capture, theirs.compile_ids)
        )
        assert ours.lowering is not None
        assert ours.lowering.is_lowered
    for one, other in zip(lowered.compiles, dynamo.compiles, strict=True):
        assert one.stack == other.stack
        assert one.location is not None
        assert (one.location, one.graphs, one.fail_type) == (other.location, other.graphs, None)
        assert "lowering" in one.phases
        assert "dynamo" in other.phases


@pytest.mark.long
@pytest.mark.skipif(not tlparse.installed(), reason="tlparse is not installed here")
def test_tlparse_has_a_compile_for_each_lowered_graph(tmp_path: Path) -> None:
    dynamo, lowered = (
        tlparse.run_on(recorded(tmp_path, "aot_eager", lowering), tmp_path / f"pages{lowering}")
        for lowering in (False, True)
    )
    assert not dynamo.failed
    assert not lowered.failed
    pages = {"compilation_metrics", "dynamo_output_graph", "aot_inference_graph"}
    for found in (dynamo, lowered):
        kinds: dict[str, set[str]] = {}
        for path in found.folder.glob("*/*_*_*_0/*"):
            kinds.setdefault(path.parent.name, set()).add(path.name.rpartition("_")[0])
        assert kinds["0_0_0_0"] >= pages
        assert kinds["1_1_0_0"] >= pages
