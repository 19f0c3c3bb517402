"""A graph that is lowered, at its first backward and at each hit."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn

from ca_engine.lowering import direct, lowered
from ca_engine.lowering.conditions import refuse_by_inputs
from ca_engine.lowering.refusal import RefusalError
from tests.engine.conftest import gradient
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.batches import batches_of_an_mlp
from tests.engine.lowering.eagerly import backward_of


def test_an_unexpected_error_leaves_the_ordinary_way(
    recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("something unforeseen")

    monkeypatch.setattr(direct.Direct, "__init__", fail)
    model = nn.Linear(3, 2)
    (record,) = recorded(lambda: backward_of(model, lowering=True))
    assert (record["way"], record["reason"]) == ("no", "error")
    assert record["detail"] == "ZeroDivisionError: something unforeseen"
    assert torch.equal(gradient(model.weight), torch.full((2, 3), 2.0))


@pytest.mark.long
def test_a_refusal_of_one_size_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = refuse_by_inputs
    calls: list[int] = []

    def refusing(compiler: Any, inputs: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise RefusalError("device", "on purpose")
        stock(compiler, inputs)

    monkeypatch.setattr(lowered, "refuse_by_inputs", refusing)
    program = partial(batches_of_an_mlp, sizes=(3, 4, 5, 4, 6))
    outcome = compare_lowering(program, backend="aot_eager")
    assert outcome.ways == ["lowered", "lowered", "device"]
