"""Programs whose graphs of Dynamo's are swapped when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import pytest
import torch
from torch._inductor.utils import fresh_cache

import ca_engine
from ca_engine import trace
from ca_engine.lowering.background import dynamo_graph
from ca_engine.lowering.background import job as jobs
from ca_engine.lowering.background.worker import CompileAnswer, InductorError, WorkerError
from tests.engine.lowering.background.conftest import Records

Step = Callable[[int], list[torch.Tensor]]


class Here:
    """Compiles in this process what is sent to another, once it is told to.

    A job is read from its bytes and compiled among settings of its own, as there.
    """

    def __init__(self) -> None:
        self.jobs: list[bytes] = []
        self.is_released = False
        self.failure: WorkerError | None = None

    def submit(self, job: bytes) -> int:
        self.jobs.append(job)
        return len(self.jobs)

    def result(self, number: int) -> CompileAnswer | None:
        if self.failure is not None:
            raise self.failure
        if not self.is_released:
            return None
        answer = copy_context().run(jobs.read(self.jobs[number - 1]).compile)
        if "compile_error" in answer:
            raise InductorError(answer["compile_error"])
        if "error" in answer:
            raise WorkerError(answer["error"])
        return CompileAnswer(answer["key"], answer["cache"], 1.0)


class Swaps:
    """``worker`` stands for the other process; ``records`` gets each ``ca_background``."""

    def __init__(self, there: Here, records: Records) -> None:
        self.worker = there
        self.records = records

    @property
    def states(self) -> list[str]:
        return [each["state"] for each in self.records]

    @property
    def reasons(self) -> set[str]:
        return {each["reason"] for each in self.records if each["reason"]}


@contextmanager
def swaps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Swaps]:
    """Within, inductor compiles in the background, as far as Dynamo knows; caches are empty."""
    there, records = Here(), []

    def noting(name: str, payload: Callable[[], Any], **_: Any) -> None:
        if name == "ca_background":
            records.append(payload())

    with monkeypatch.context() as patch, empty_caches():
        patch.setattr(trace, "compact_artifact", noting)
        patch.setattr(dynamo_graph, "the_workers", lambda: there)
        with ca_engine.background():
            yield Swaps(there, records)


@contextmanager
def empty_caches() -> Iterator[None]:
    """Within, Dynamo and inductor know nothing; afterwards Dynamo forgets what it learned."""
    torch._dynamo.reset()
    with fresh_cache():
        yield
    torch._dynamo.reset()


def bits(tensors: list[torch.Tensor]) -> list[Any]:
    """All that two results may differ in; NaNs are equal."""
    return [
        (
            tuple(each.shape),
            each.stride(),
            each.dtype,
            each.requires_grad,
            each.detach().contiguous().view(torch.uint8).numpy().tobytes()
            if each.dim()
            else each.detach().reshape(1).view(torch.uint8).numpy().tobytes(),
        )
        for each in tensors
    ]


def run(make: Callable[[str], Step], backend: str, steps: range) -> list[list[Any]]:
    """The bits of each step, each from the same state as in any other run."""
    step = make(backend)
    return [one(step, number) for number in steps]


def one(step: Step, number: int) -> list[Any]:
    torch.manual_seed(number)
    return bits(step(number))
