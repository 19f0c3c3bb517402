"""Conditions that no program of the other tests comes upon, on graphs that are made by hand."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import fx, nn
from torch._prims.rng_prims import run_with_rng_state

import ca_engine
from ca_engine.lowering.conditions import refuse_by_sizes, refuse_by_world
from ca_engine.lowering.contents import look_through
from ca_engine.lowering.recognise import recognise
from ca_engine.lowering.refusal import RefusalError
from tests.engine.lowering.by_hand import ADD, ByHand, reason_of

pytestmark = pytest.mark.usefixtures("accumulation_is_bound")


def test_an_operator_that_takes_an_operator() -> None:
    """Torch looks for its rules by the very class of the mode that traces."""
    by_hand = ByHand()
    result = by_hand.call(run_with_rng_state, by_hand.inputs[2], ADD, *by_hand.inputs[2:])
    with pytest.raises(RefusalError, match="run_with_rng_state") as refused:
        by_hand.assembled(result)
    assert refused.value.reason == "higher_order_operator"


def test_numbers_that_were_lifted() -> None:
    made = ByHand()
    module = fx.GraphModule(nn.Module(), fx.Graph())
    compiler = recognise(module, torch.compile(module, backend="aot_eager"))
    assert not look_through(made.graph, []).scalars
    made.call(operator.mul, made.inputs[0], made.scalars[0])
    contents = look_through(made.graph, [])
    assert reason_of(lambda: refuse_by_world(compiler, contents)) == "lifted_number"


@pytest.mark.parametrize(
    ("backend", "sizes", "device", "is_refused"),
    [
        ("inductor", [5], "meta", True),
        ("inductor", [5], "cpu", False),
        ("inductor", [], "meta", False),
        ("aot_eager", [5], "meta", False),
    ],
)
def test_kernels_for_any_size_that_have_other_bits(
    backend: str, sizes: list[int], device: str, is_refused: bool
) -> None:
    """Any device but the CPU may sum in another order for any size than for one."""
    module = fx.GraphModule(nn.Module(), fx.Graph())
    compiler = recognise(module, torch.compile(module, backend=backend))
    inputs = [torch.ones(2, device="cpu"), torch.ones(2, device=device)]
    if is_refused:
        assert reason_of(lambda: refuse_by_sizes(compiler, inputs, sizes)) == "dynamic_sizes"
    else:
        refuse_by_sizes(compiler, inputs, sizes)


def _backward_of_a_batch() -> None:
    x = torch.ones(3, requires_grad=True)
    torch.autograd.grad(x.sin(), x, torch.eye(3), is_grads_batched=True)


def _to_an_expanded_grad() -> None:
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.zeros(1).expand(3)
    with pytest.raises(RuntimeError):  # eager mode raises one as well
        x.sin().sum().backward()


@pytest.mark.parametrize(
    ("run", "reason"),
    [(_backward_of_a_batch, "tensor_kind"), (_to_an_expanded_grad, "grad_overlaps")],
)
def test_what_cannot_be_lowered_has_a_reason_of_its_own(
    recorded: Any, run: Callable[[], None], reason: str
) -> None:
    def under_lowering() -> None:
        with ca_engine.enable(partial(torch.compile, backend="aot_eager"), lowering=True):
            run()

    (record,) = recorded(under_lowering)
    assert (record["way"], record["reason"]) == ("no", reason)
