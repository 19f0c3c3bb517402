"""A training that inductor compiles for in another process, and records of what became of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import ca_engine
from ca_engine import trace
from ca_engine.compat import inductor_cache
from ca_engine.lowering.background import worker

# Seconds, on a machine that is busy with other tests: there the other process took two minutes to
# start with torch 2.12, and one with 2.13.
PATIENCE = 450.0

Records = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def patient_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has a process of its own, which does not step back behind other tests.

    FxGraphCache keeps what the tests before it compiled; no graph is known for all that.
    """
    monkeypatch.setattr(worker, "NICE", 0)
    shutil.rmtree(Path(inductor_cache.cache_folder(), "ca_lowering"), ignore_errors=True)
    forget()
    yield
    if worker._worker is not None:
        worker._worker.close()
        worker._worker = None


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> Records:
    """Gets each ``ca_lowering`` record."""
    found: Records = []

    def noting(name: str, payload: Callable[[], Any], **_: Any) -> None:
        if name == "ca_lowering":
            found.append(payload())

    monkeypatch.setattr(trace, "compact_artifact", noting)
    return found


@pytest.fixture
def graph_records(monkeypatch: pytest.MonkeyPatch) -> Records:
    """Gets each ``ca_background`` record."""
    found: Records = []

    def noting(name: str, payload: Callable[[], Any], **_: Any) -> None:
        if name == "ca_background":
            found.append(payload())

    monkeypatch.setattr(trace, "compact_artifact", noting)
    return found


def states(records: Records) -> list[str | None]:
    """The state of each record's graph, None of one that is not compiled in the background."""
    return [each["background"] and each["background"]["state"] for each in records]


class Training:
    """One linear layer that is trained; ``step`` returns its gradients' bits."""

    def __init__(self, width: int = 4) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(width, 3), nn.GELU())
        self.inputs = torch.randn(5, width)

    def step(self, inputs: torch.Tensor | None = None) -> list[bytes]:
        self.model.zero_grad()
        for _ in range(2):  # the second finds .grad defined: another structure
            self.model(self.inputs if inputs is None else inputs).square().sum().backward()
        return [
            parameter.grad.numpy().tobytes()
            for parameter in self.model.parameters()
            if parameter.grad is not None
        ]


def in_background(backend: str = "inductor", **options: Any) -> Any:
    compiler = partial(torch.compile, backend=backend, **options)
    return ca_engine.enable(compiler, background=True)


def train_until(
    training: Training, enough: Callable[[], bool], patience: float = PATIENCE
) -> list[list[bytes]]:
    """Trains until ``enough``; returns the gradients of each step."""
    end = time.monotonic() + patience
    found = []
    while not enough():
        assert time.monotonic() < end, "it took too long"
        found.append(training.step())
        time.sleep(0.01)
    return found


def reference(backend: str, training: Training | None = None) -> list[bytes]:
    """The gradients under torch's own engine."""
    ca_engine.uninstall()
    forget()
    compiled = torch.compile(backend=backend)
    with torch._dynamo.compiled_autograd._enable(compiled, dynamic=False):
        found = (training or Training()).step()
    forget()  # or ours would hit what torch's captured
    return found


def forget() -> None:
    """Empties C++'s cache and Dynamo's."""
    ca_engine.reset()
    torch._dynamo.reset()
