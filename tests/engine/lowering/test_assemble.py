"""Graphs that cannot be put together from templates, made by hand."""

from __future__ import annotations

import pytest
import torch

from ca_engine.lowering.level1 import _Returned
from tests.engine.lowering.by_hand import ADD, WRITE, ByHand, reason_of

pytestmark = pytest.mark.usefixtures("accumulation_is_bound")


def test_two_gradients_of_one_parameter() -> None:
    made = ByHand()
    for new in made.inputs[1:3]:
        made.accumulate(0, None, new)
    assert reason_of(made.assembled) == "accumulates_twice"
    assert reason_of(lambda: _Returned(made.graph)) == "accumulates_twice"


def test_a_gradient_that_is_not_defined() -> None:
    made = ByHand()
    made.accumulate(0, None, None)
    assert reason_of(made.assembled) == "undefined_gradient"


def test_a_grad_that_is_no_input() -> None:
    made = ByHand()
    made.accumulate(0, made.call(ADD, made.inputs[1], 1), made.inputs[2])
    assert reason_of(made.assembled) == "grad_form"


def test_one_grad_of_two_parameters() -> None:
    made = ByHand()
    made.accumulate(0, made.inputs[2], made.inputs[3])
    made.accumulate(1, made.inputs[2], made.inputs[3])
    assert reason_of(made.assembled) == "grad_is_read"


def test_a_write_to_an_input() -> None:
    made = ByHand()
    made.call(WRITE, made.inputs[0], made.inputs[1])
    assert reason_of(made.assembled) == "changes_a_tensor"


def test_an_input_that_is_given_another_size() -> None:
    made = ByHand()
    made.call(torch.ops.aten.t_.default, made.inputs[0])
    assert reason_of(made.assembled) == "changes_metadata"


def test_a_constant_of_the_graph() -> None:
    made = ByHand()
    made.graph.get_attr("weight")
    assert reason_of(made.assembled) == "constant"


def test_a_call_that_gives_a_sparse_tensor() -> None:
    made = ByHand()
    made.call(torch.ops.aten._to_sparse.default, made.inputs[0])
    assert reason_of(made.assembled) == "tensor_kind"
