"""Gradients that are no numbers, under anomaly mode."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine

from tests.engine.compiled import run_graph
from tests.engine.conftest import STOCK_COMPILER, use_engine

pytestmark = pytest.mark.usefixtures("our_engine")


def test_nan_gradients_are_reported_under_anomaly_mode() -> None:
    x = torch.zeros(3, requires_grad=True)
    loss = (x.sqrt() * 0).sum()
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match=r"NaN gradients for parameters: inputs\[\d\]"),
    ):
        loss.backward()
    y = torch.zeros(3, requires_grad=True)
    loss = (y.sqrt() * 0).sum()
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="NaN gradients for output nodes"),
    ):
        torch.autograd.grad(loss, y)


def test_a_gradient_that_is_nan_already_is_refused_under_anomaly_mode() -> None:
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.full((3,), float("nan"))
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(AssertionError, match="already having NaN gradient"),
    ):
        x.sum().backward()


def test_a_gradient_that_nobody_has_is_no_nan() -> None:
    """Torch's engine gives up on this (2.13: "'NoneType' object has no attribute 'name'")."""
    x, y, unused = (torch.zeros(3, requires_grad=True) for _ in range(3))

    def grads(power: float) -> tuple[torch.Tensor | None, ...]:
        loss = (x.exp() + (y**power) * 0).sum()
        with torch_engine._enable(run_graph), torch.autograd.detect_anomaly():
            return torch.autograd.grad(loss, [unused, x, y], allow_unused=True)

    nothing, of_x, of_y = grads(2.0)
    assert nothing is None
    assert of_x is not None
    assert of_y is not None
    assert (of_x.tolist(), of_y.tolist()) == ([1.0] * 3, [0.0] * 3)
    with pytest.raises(RuntimeError, match=r"NaN gradients for output nodes: [^,]+$"):
        grads(0.5)
    use_engine(STOCK_COMPILER)
    torch._dynamo.reset()
    with pytest.raises(AttributeError):
        grads(2.0)
