"""Two trainings in two threads of one process: results to the bit, and what the records hold.

C++ captures one backward at a time. One that starts while another is captured is refused, and one
that starts while another's compiled code runs goes eager (`test_behaviour.py`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn

import ca_engine
from ca_engine.lowering import modes
from tests.engine.recorder.test_recorder import column, read_records

STEPS = 24


class Training:
    """A model and optimizer of its own; the loss, and so the graph, changes every fourth step."""

    def __init__(self, number: int) -> None:
        self._random = torch.Generator().manual_seed(number)
        self._width = 4 + number
        middle = [nn.Linear(self._width, self._width), nn.ELU()] * number
        self._model = nn.Sequential(*middle, nn.Linear(self._width, 3))
        with torch.no_grad():
            for parameter in self._model.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=self._random) / 3)
        # Adam would look at `torch.compiler.is_compiling`, which is one for all threads.
        self._optimizer = torch.optim.SGD(self._model.parameters(), lr=1e-3, momentum=0.4 * number)
        self.refused = 0
        self.gradients: list[torch.Tensor] = []

    def run(self, turn: AbstractContextManager[Any]) -> None:
        """Each backward is in ``turn``, and is tried again while C++ refuses it."""
        for step in range(STEPS):
            outputs = self._model(torch.randn(4, self._width, generator=self._random))
            loss = outputs.square().sum() if step % 4 else outputs.exp().mean()
            while not self._went(loss, turn):
                self.refused += 1
            self.gradients += [each.grad.clone() for each in self._model.parameters()]  # type: ignore[union-attr]
            self._optimizer.step()
            self._optimizer.zero_grad()

    @staticmethod
    def _went(loss: torch.Tensor, turn: AbstractContextManager[Any]) -> bool:
        try:
            with turn:
                loss.backward()
        except NotImplementedError:
            return False
        return True


def one_by_one(backend: str, folder: Path) -> list[Training]:
    """Under torch's own engine."""
    trainings = [Training(1), Training(2)]
    compiler = torch.compile(backend=backend)
    with ca_engine.record(folder, engine="torch"), ca_engine.enable(compiler, dynamic=False):
        for training in trainings:
            training.run(contextlib.nullcontext())
    return trainings


def at_once(start: Callable[[Training], None]) -> list[Training]:
    trainings = [Training(1), Training(2)]
    threads = [threading.Thread(target=start, args=(each,), daemon=True) for each in trainings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
        assert not thread.is_alive()
    return trainings


# Each of the ways is in one of the two that are not long.
@pytest.mark.parametrize(
    ("backend", "lowering", "turns"),
    [
        pytest.param(
            backend,
            lowering,
            turns,
            id=" ".join(
                (backend, "lowered" if lowering else "Dynamo", "in turns" if turns else "freely")
            ),
            marks=[] if (backend == "eager") is lowering is turns else [pytest.mark.long],
        )
        for backend in ("eager", "aot_eager")
        for lowering in (False, True)
        for turns in (False, True)
    ],
)
def test_two_trainings_at_once_are_as_one_after_the_other(
    backend: str, lowering: bool, turns: bool, tmp_path: Path
) -> None:
    if lowering and not modes.is_proven():
        pytest.skip("lowering is off with this torch")
    expected = one_by_one(backend, tmp_path / "torch")
    ca_engine.clear_cache()
    torch._dynamo.reset()
    compiler = torch.compile(backend=backend)
    turn = threading.Lock() if turns else contextlib.nullcontext()
    with (
        ca_engine.record(tmp_path / "run"),
        ca_engine.enable(compiler, dynamic=False, lowering=lowering),
    ):
        got = at_once(partial(Training.run, turn=turn))

    for ours, theirs in zip(got, expected, strict=True):
        torch.testing.assert_close(ours.gradients, theirs.gradients, rtol=0, atol=0)
    (log,) = (tmp_path / "run").glob("*.log")
    records = read_records(log)
    captures = records["ca_capture"]
    (end,) = records["ca_end"]
    assert [each["error"] for each in captures] == [None] * len(captures)
    assert len({each["id"] for each in captures}) == len(captures) == end["captures"]
    assert [each["kind"] for each in captures[1:]] == ["new_autograd_node"] * (len(captures) - 1)
    assert sorted(column(records, "step")) == list(range(end["backwards"]))
    assert sum(column(records, "miss")) == len(captures)
    lowered = [each["capture"] for each in records.get("ca_lowering", [])]
    assert sorted(lowered) == (sorted(each["id"] for each in captures) if lowering else [])
    in_eager = sum(len(each["start"]) for each in records.get("ca_steps", []))
    if turns:
        assert (end["backwards"], len(captures), in_eager) == (2 * STEPS, 4, 0)
        assert [each.refused for each in got] == [0, 0]
    else:
        # Those that found the other's graph running are noted as backwards in eager. Threads may
        # change between the note and C++'s look.
        assert abs(end["backwards"] + in_eager - 2 * STEPS) <= 3
