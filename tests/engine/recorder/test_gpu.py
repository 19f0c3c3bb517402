"""What is recorded of a GPU that waits: `GpuWaits` over a queue that behaves as CUDA's does.

That CUDA's does so is for a card to show: ``make gpu`` compares with torch's profiler.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch._dynamo
from torch._dynamo.callback import CallbackTrigger, callback_handler

import ca_engine
from ca_engine import installation, schema, trace
from ca_engine.compat import dynamo
from ca_engine.recorder import gpu


class Queue:
    """In ``torch.cuda``'s place: a stream whose last kernel ends at ``done``, and a clock."""

    def __init__(self) -> None:
        self.now = self.done = 0.0
        self.initialized, self.capturing, self.broken = True, False, False

    def is_initialized(self) -> bool:
        return self.initialized

    def is_current_stream_capturing(self) -> bool:
        return self.capturing

    def current_device(self) -> int:
        return 0

    def get_device_name(self, number: int) -> str:
        return f"Card {number}"

    def launch(self, seconds: float) -> None:
        self.done = max(self.done, self.now) + seconds

    def Event(self, *, enable_timing: bool) -> Event:  # noqa: N802, it is torch.cuda's
        assert enable_timing
        return Event(self)


class Event:
    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def record(self) -> None:
        assert not self._queue.capturing
        self.at = max(self._queue.now, self._queue.done)

    def query(self) -> bool:
        if self._queue.broken:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
        return self._queue.now >= self.at

    def elapsed_time(self, last: Event) -> float:
        return (last.at - self.at) * 1e3


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    queue = Queue()
    monkeypatch.setattr(gpu, "perf_counter", lambda: queue.now)
    return queue


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def keep(name: str, payload: Callable[[], Any], **_: object) -> None:
        if name == schema.GPU_WAITS_RECORD:
            found.append(json.loads(json.dumps(payload())))

    monkeypatch.setattr(trace, "is_listening", lambda: True)
    monkeypatch.setattr(trace, "compact_artifact", keep)
    return found


def test_it_waits_from_when_it_has_run_out_of_work(
    queue: Queue, records: list[dict[str, Any]]
) -> None:
    waits = gpu.GpuWaits(queue)
    queue.launch(2.0)
    waits.compile_begins("0/1")
    queue.now = 5.0
    waits.compile_ends("0/1")
    waits.write()
    (record,) = records
    assert (record["event"], record["seconds"], record["waited"]) == (["0/1"], [5.0], [3.0])
    assert record["device"] == "cuda:0 Card 0"


def test_a_busy_gpu_has_not_waited(queue: Queue, records: list[dict[str, Any]]) -> None:
    waits = gpu.GpuWaits(queue)
    queue.launch(10.0)
    waits.compile_begins("0/0")
    queue.now = 4.0
    waits.compile_ends("0/0")
    waits.write()
    assert not records  # it has not reached the events yet
    queue.now = 11.0
    waits.write()
    assert [record["waited"] for record in records] == [[0.0]]


def test_a_compile_within_a_capture_is_part_of_it(
    queue: Queue, records: list[dict[str, Any]]
) -> None:
    waits, capture = gpu.GpuWaits(queue), object()
    waits.capture_begins(capture)
    queue.now = 1.0
    waits.compile_begins("7/0")
    queue.now = 2.0
    waits.compile_ends("7/0")
    waits.capture_ends(capture, 3)
    waits.write()
    assert [(record["event"], record["waited"]) for record in records] == [(["!3"], [2.0])]


def test_a_capture_that_was_given_up_takes_nothing_with_it(
    queue: Queue, records: list[dict[str, Any]]
) -> None:
    waits, second = gpu.GpuWaits(queue), object()
    waits.capture_begins(object())
    queue.now = 5.0
    waits.capture_begins(second)
    queue.now = 6.0
    waits.capture_ends(second, 1)
    waits.write()
    assert [(record["event"], record["waited"]) for record in records] == [(["!1"], [1.0])]


def test_nothing_is_recorded_into_a_cuda_graph(queue: Queue, records: list[dict[str, Any]]) -> None:
    waits = gpu.GpuWaits(queue)
    queue.capturing = True
    waits.compile_begins("0/0")
    waits.compile_ends("0/0")
    queue.capturing = False
    waits.write()
    assert not records


def test_no_gpu_no_record(queue: Queue, records: list[dict[str, Any]]) -> None:
    queue.initialized = False
    waits = gpu.GpuWaits(queue)
    waits.compile_begins("0/0")
    waits.compile_ends("0/0")
    waits.write()
    assert not records


def test_an_error_of_cuda_stays_the_users(queue: Queue, records: list[dict[str, Any]]) -> None:
    waits = gpu.GpuWaits(queue)
    waits.compile_begins("0/0")
    waits.compile_ends("0/0")
    queue.broken = True
    waits.write()
    queue.broken = False
    waits.write()
    assert not records


@pytest.fixture
def compiles() -> Iterator[list[tuple[str, str]]]:
    found: list[tuple[str, str]] = []
    undo = dynamo.watch_compiles(
        lambda compile_id: found.append(("begins", compile_id)),
        lambda compile_id: found.append(("ends", compile_id)),
    )
    yield found
    undo()


def test_compiles_are_told_also_after_a_reset(compiles: list[tuple[str, str]]) -> None:
    for _ in range(2):
        torch._dynamo.reset()
        torch.compile(torch.sin, backend="eager")(torch.ones(2))
    assert compiles == [("begins", "0/0"), ("ends", "0/0")] * 2


def test_the_recording_of_a_cuda_graph_is_no_compile(compiles: list[tuple[str, str]]) -> None:
    with callback_handler.install_callbacks(CallbackTrigger.CUDAGRAPH_RECORDING, "0/0"):
        pass
    assert not compiles


def test_a_training_has_all_its_stalls(
    records: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real captures and compiles, with a GPU that never has anything to do."""
    torch._dynamo.reset()
    model = torch.compile(torch.nn.Linear(4, 4), backend="eager")
    with ca_engine.install(engine="ca"):
        recorder = installation._recorder
        assert recorder is not None
        monkeypatch.setattr(recorder.gpu, "_gpu", Queue())
        with ca_engine.enable(torch.compile(backend="eager")):
            for rows in (3, 5):
                model(torch.ones(rows, 4)).sum().backward()
        recorder.settle()
    told = [event for record in records for event in record["event"]]
    assert {"!0", "!1"} <= set(told)
    assert {"0/0", "0/1"} <= set(told)
    assert sum(event.startswith("!0/") for event in told) >= 1
