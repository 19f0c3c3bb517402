"""Several processes that compile, and how much memory each may take."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

import ca_engine
from ca_engine.compat import versions
from ca_engine.lowering.background import compile_process, job, worker, workers
from ca_engine.lowering.background.worker import WorkerError
from tests.engine.lowering.background.conftest import PATIENCE, Records
from tests.engine.lowering.background.swapping import empty_caches
from tests.engine.lowering.background.test_dynamo_graph import X, gradient, small

if TYPE_CHECKING:
    from collections.abc import Callable

in_background = pytest.mark.skipif(
    not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
)


@pytest.mark.parametrize(
    ("cores", "threads", "ranks", "expected"),
    [(2, 2, "", 1), (2, 1, "", 1), (8, 8, "", 1), (8, 6, "", 2), (64, 1, "", 4), (8, 1, "4", 1)],
)
def test_each_needs_a_core_that_the_training_leaves(
    monkeypatch: pytest.MonkeyPatch, cores: int, threads: int, ranks: str, expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)))
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", ranks)
    assert workers.most_processes() == expected


def test_each_needs_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_NEEDED_BYTES", 1)
    assert workers.has_memory()
    monkeypatch.setattr(workers, "_NEEDED_BYTES", 1 << 60)
    assert not workers.has_memory()


@pytest.mark.parametrize(
    ("options", "free", "why"),
    [
        ({}, 3 << 30, None),
        ({}, 1 << 30, "less than 2 GiB of the memory of cuda:1 are left"),
        ({"max_autotune_gemm": True}, 3 << 30, "measure kernels"),
    ],
)
def test_for_a_gpu_there_must_be_memory_and_nothing_to_measure(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], free: int, why: str | None
) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 80 << 30))
    gpu = torch.device("cuda:1")
    if why is None:
        workers.refuse_gpu(gpu, options)
        return
    with pytest.raises(WorkerError, match=why):
        workers.refuse_gpu(gpu, options)


@pytest.mark.long
@pytest.mark.timeout(1800)
@in_background
def test_graphs_that_would_wait_go_to_another_process(
    monkeypatch: pytest.MonkeyPatch, graph_records: Records
) -> None:
    monkeypatch.setattr(workers, "most_processes", lambda: 2)
    monkeypatch.setattr(workers, "_NEEDED_BYTES", 1)
    inputs = [torch.linspace(-2, 3, 4 * size).view(size, 4) for size in (3, 5, 7)]
    bits = []
    for x in inputs:
        with empty_caches():
            model, compiled = small("inductor")
            bits.append(gradient(compiled(x), model))
    static = torch._dynamo.config.patch(automatic_dynamic_shapes=False)
    with empty_caches(), static, ca_engine.background():
        made = [small("inductor") for _ in inputs]

        def all_run() -> list[object]:
            return [
                gradient(compiled(x), model)
                for (model, compiled), x in zip(made, inputs, strict=True)
            ]

        all_run()
        pool = workers.the_workers()
        processes = [each._process for each in pool._all]
        assert len(processes) == 2
        assert [each.outstanding for each in pool._all] == [2, 1]
        _until(lambda: len(graph_records) == 6, all_run)
        assert all_run() == bits
        pool.close()
    assert [each["state"] for each in graph_records].count("ready") == 3
    assert processes[1] is not None
    assert not Path(f"/proc/{processes[1].pid}").exists()


@pytest.mark.long
@pytest.mark.timeout(1800)
@in_background
def test_a_process_that_needs_more_memory_than_it_may_take(
    monkeypatch: pytest.MonkeyPatch, graph_records: Records
) -> None:
    monkeypatch.setattr(worker, "most_bytes", lambda: 64 << 20)  # too little for torch
    with empty_caches():
        model, compiled = small("inductor")
        bits = gradient(compiled(X), model)
    with empty_caches(), ca_engine.background():
        model, compiled = small("inductor")
        _until(lambda: len(graph_records) == 2, lambda: gradient(compiled(X), model))
        assert gradient(compiled(X), model) == bits
    assert [each["state"] for each in graph_records] == ["compiling", "waited"]
    assert "the compile process" in graph_records[1]["reason"]


def test_memory_that_runs_out_within_a_job_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_large(data: bytes) -> Any:
        raise MemoryError

    monkeypatch.setattr(job, "read", too_large)
    with pytest.raises(SystemExit) as ended:
        compile_process._compiled(b"a job")
    assert ended.value.code == compile_process.NO_MEMORY
    # The same from outside
    monkeypatch.setattr(worker, "_CODE", f"raise SystemExit({compile_process.NO_MEMORY})")
    ending = worker.Worker()
    ending.start()
    number = ending.submit(b"a job")
    with pytest.raises(WorkerError, match="ran out of the memory that it may take"):
        _until(lambda: ending.result(number) is not None, lambda: time.sleep(0.01))


def _until(is_done: Callable[[], bool], step: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < end
        step()
