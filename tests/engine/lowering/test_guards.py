"""What may change from one hit to the next without a change of C++'s key."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.engine.conftest import Backward, leaf
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.guarded import strides_of_what_was_saved, watch_guards


def strides_of_a_grad(backward: Backward) -> Any:
    x, weight = leaf(3, 3), torch.randn(3, 3)
    for grad in (torch.ones(3, 3), torch.ones(3, 3).t(), torch.ones(3, 3)):
        x.grad = grad
        backward((x * weight).sum())
    return x.grad


def memory_of_grads(backward: Backward) -> Any:
    x, y, weight = leaf(3), leaf(3), torch.randn(3)
    buffer = torch.zeros(6)
    for grads in ([torch.zeros(3), torch.zeros(3)], [buffer[:3], buffer[3:]]):
        x.grad, y.grad = grads
        backward((x * weight + y * 2).sum())
    return x.grad, y.grad, buffer


def memory_that_a_grad_shares_with_what_was_saved(backward: Backward) -> Any:
    x = leaf(3)
    for shared in (False, True, False):
        x.grad = torch.ones(3)
        backward((x * (x.grad.view(3) if shared else torch.ones(3))).sum())
    return x.grad


def deterministic_mode(backward: Backward) -> Any:
    x = leaf(5)
    index = torch.tensor([1, 1, 3])
    try:
        for on in (False, True, False):
            torch.use_deterministic_algorithms(on)
            backward(x[index].sum())
    finally:
        torch.use_deterministic_algorithms(False)
    return x.grad


def autocast_at_a_hit(backward: Backward) -> Any:
    x, y = leaf(3, 3), torch.randn(3, 3)
    for on in (False, False, True, False):
        loss = (x @ y).sum()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
            backward(loss)
    return x.grad


def a_dispatch_mode_at_a_hit(backward: Backward) -> Any:
    x, y = leaf(3, 3), torch.randn(3, 3)
    counter = FlopCounterMode(display=False)
    for on in (False, True):
        loss = (x @ y).sum()
        if on:
            with counter:
                backward(loss)
        else:
            backward(loss)
        x.grad = None
    return counter.get_total_flops()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (strides_of_what_was_saved, "stride mismatch"),
        (strides_of_a_grad, "stride mismatch"),
        (memory_of_grads, ".grad shares memory"),
        (memory_that_a_grad_shares_with_what_was_saved, ".grad shares memory"),
        (deterministic_mode, "GLOBAL_STATE changed: deterministic_algorithms"),
        (autocast_at_a_hit, "GLOBAL_STATE changed: autocast"),
        (a_dispatch_mode_at_a_hit, "a torch mode is active"),
    ],
)
def test_a_guard_stands_where_the_key_does_not(
    run: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = watch_guards(monkeypatch)
    outcome = compare_lowering(run, backend="aot_eager")
    assert outcome.ways[0] == "lowered"
    assert any(words in text for text in failed), failed
