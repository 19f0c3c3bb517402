"""Operators that C++ runs itself while it drives a capture."""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ca_engine.capture.builder import GraphBuilder
from ca_engine.capture.cpp_operators import CppOperators
from ca_engine.capture.lifted import lift_int


def test_while_it_is_started_they_become_nodes() -> None:
    builder = GraphBuilder()
    operators = CppOperators(builder)
    size = lift_int(6, builder.item(builder.sizes, 0))
    operators.start()
    operators.start()  # again changes nothing
    try:
        zeros = torch.zeros(3, size)
    finally:
        operators.stop()
    (node,) = builder.graph.find_nodes(op="call_function", target=torch.ops.aten.zeros.default)
    assert node.args[0] == [3, builder.to_nodes(size)]
    assert zeros.shape == (0,)  # a handle
    assert _get_current_dispatch_mode_stack() == []


def test_before_and_after_they_run() -> None:
    operators = CppOperators(GraphBuilder())
    operators.stop()
    assert torch.zeros(2).tolist() == [0.0, 0.0]
    operators.start()
    operators.stop()
    operators.stop()
    assert torch.ones(2).tolist() == [1.0, 1.0]
