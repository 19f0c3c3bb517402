"""Processes that a program starts while inductor compiles for it in one of its own."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import ca_engine
from ca_engine.compat import versions
from ca_engine.lowering.background import dynamo_graph, worker
from tests.engine.lowering.background.conftest import PATIENCE, Records
from tests.engine.lowering.background.swapping import empty_caches
from tests.engine.lowering.background.test_dynamo_graph import X, gradient, small

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
    ),
]


class Rows(Dataset[torch.Tensor]):
    """Items that say which process made them."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([index, os.getpid(), worker._worker is not None])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader(method: str, graph_records: Records) -> None:
    with empty_caches():
        model, compiled = small("inductor")
        expected = gradient(compiled(X), model)
    with empty_caches(), ca_engine.background():
        model, compiled = small("inductor")
        gradient(compiled(X), model)
        assert worker._worker is not None
        process = worker._worker._process
        loader = DataLoader(Rows(), batch_size=2, num_workers=2, multiprocessing_context=method)
        items = torch.cat(list(loader))
        assert items[:, 0].tolist() == [0, 1, 2, 3]
        assert os.getpid() not in items[:, 1]
        assert not items[:, 2].any()  # the process is this one's
        _train_until_settled(model, compiled, graph_records)
        assert gradient(compiled(X), model) == expected
        assert worker._worker._process is process
    assert [each["state"] for each in graph_records] == ["compiling", "ready"]


@pytest.fixture
def one_thread() -> Iterator[None]:
    """OpenMP's other threads stay behind in a fork, and how many there are is guarded."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_a_child_of_a_fork_runs_on(graph_records: Records) -> None:
    """Inductor's threads stayed behind: what it compiles or loads there would wait for ever."""
    bits = {}
    for backend in ("aot_eager", "inductor"):
        with empty_caches():
            model, compiled = small(backend)
            bits[backend] = gradient(compiled(X), model)
    assert bits["aot_eager"] != bits["inductor"]
    with empty_caches(), ca_engine.background():
        model, compiled = small("inductor")
        gradient(compiled(X), model)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                found = [gradient(compiled(X), model) for _ in range(3)]
                settled = [(each["state"], each["reason"]) for each in graph_records]
                forked = ("failed", "the program forked while it was compiled")
                status = 0 if settled == [("compiling", None), forked] else 2
                is_right = found == [bits["aot_eager"]] * 3 and worker._worker is None
                status = status if is_right else 3
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        _train_until_settled(model, compiled, graph_records)
        assert gradient(compiled(X), model) == bits["inductor"]
    assert [each["state"] for each in graph_records] == ["compiling", "ready"]


SETTLED = ["compiling", "failed"]


@pytest.mark.usefixtures("one_thread")
def test_a_child_of_a_fork_does_not_wait_for_a_thread_that_stayed_behind(
    graph_records: Records,
) -> None:
    gc.collect()  # of graphs of other tests
    with empty_caches(), ca_engine.background():
        model, compiled = small("inductor")
        waiting = compiled(X)
        (graph,) = [each for each in dynamo_graph._graphs if each._waiting is not None]
        with graph._lock:  # as by another thread
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    gradient(waiting, model)  # which would send the graph
                    gradient(compiled(X), model)
                    status = 0 if [each["state"] for each in graph_records] == SETTLED else 2
                finally:
                    os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _train_until_settled(model: torch.nn.Module, compiled: object, records: Records) -> None:
    assert callable(compiled)
    end = time.monotonic() + PATIENCE
    while len(records) < 2:
        assert time.monotonic() < end, "it took too long"
        gradient(compiled(X), model)
        time.sleep(0.01)
