"""Templates: calls that were traced once."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import backends, templates
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import Backward, Outcome, leaf, run_under
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.guarded import gradients, traces_of


def test_templates_are_kept_from_one_capture_to_the_next() -> None:
    traced = []
    stock = templates.Templates._trace

    def counting(self: Any, target: Any, *args: Any) -> Any:
        traced.append(target)
        return stock(self, target, *args)

    def mlp(depth: int) -> Outcome:
        def run(backward: Backward) -> Any:
            model = nn.Sequential(*(nn.Linear(6, 6) for _ in range(depth)))
            backward(model(torch.randn(2, 6)).sum())
            return gradients(model)

        return run_under(CaptureCompiler, run, backend="aot_eager", lowering=Mode.ON)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates.Templates, "_trace", counting)
        mlp(3)
        few = len(traced)
        mlp(8)
    assert len(traced) == few


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="an operator of oneDNN's")
def test_a_call_that_gives_one_tensor_twice_is_traced_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lstm(backward: Backward) -> Any:
        model = nn.LSTM(3, 4)
        backward(model(torch.randn(5, 2, 3))[0].sum())
        return gradients(model)

    twice = [each for each in traces_of(lstm, monkeypatch) if len(each) == 2]
    assert len(twice) == 1
    assert "mkldnn_rnn_layer_backward" in twice[0][0]


def strided(elements: int, *form: Any) -> torch.Tensor:
    return torch.zeros(elements).as_strided(*form)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (strided(6, (2,), (1,)), strided(6, (3,), (1,))),
        (strided(6, (2,), (1,)), strided(6, (2,), (2,))),
        (strided(6, (2,), (1,), 0), strided(6, (2,), (1,), 1)),
        (strided(6, (2,), (1,)), strided(6, (2,), (1,)).view(torch.int32)),
        (strided(6, (2,), (1,)), strided(6, (2,), (1,)).requires_grad_()),
        (strided(6, (2,), (1,)), strided(8, (2,), (1,))),
    ],
    ids=["size", "strides", "offset", "dtype", "requires_grad", "storage"],
)
def test_calls_are_distinct_by_all_metadata(one: torch.Tensor, two: torch.Tensor) -> None:
    fakes = templates.Templates({}).fakes_of([one, two])
    assert [templates.metadata_of(fake) for fake in fakes] == [
        templates.metadata_of(tensor) for tensor in (one, two)
    ]
    assert templates.metadata_of(fakes[0]) != templates.metadata_of(fakes[1])


def test_templates_are_not_used_under_other_global_state(monkeypatch: pytest.MonkeyPatch) -> None:
    traced = []
    stock = templates.Templates._trace

    def counting(self: Any, target: Any, *args: Any) -> Any:
        traced.append(target)
        return stock(self, target, *args)

    def run(backward: Backward) -> Any:
        x = leaf(5)
        backward(x[torch.tensor([1, 1, 3])].sum())
        return x.grad

    monkeypatch.setattr(backends, "BACKENDS", {"aot_eager": backends.AotEager()})
    monkeypatch.setattr(templates.Templates, "_trace", counting)
    compare_lowering(run, backend="aot_eager")
    few = len(traced)
    torch.use_deterministic_algorithms(True)
    try:
        compare_lowering(run, backend="aot_eager")
    finally:
        torch.use_deterministic_algorithms(False)
    assert len(traced) == 2 * few
