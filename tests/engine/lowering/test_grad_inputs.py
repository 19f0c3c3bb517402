"""Graphs as torch captures them until 2.12, whose calls read ``.grad`` off the parameter."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import graph_calls
from ca_engine.lowering.grad_inputs import INPUT_OF_GRAD, with_grads
from tests.engine.conftest import Backward, canonical, run_under


def captured(backward: Backward) -> Any:
    """Two graphs: one without a ``.grad``, and one with it."""
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
    for _ in range(2):
        backward(model(torch.ones(5, 4)).sum())


def accumulations(graph: fx.Graph) -> list[fx.Node]:
    return list(graph.find_nodes(op="call_function", target=graph_calls.call_accumulate_grad))


def as_until_2_12(module: fx.GraphModule) -> fx.GraphModule:
    """The form that 2.12 captures, whichever torch captured ``module``."""
    graph = fx.Graph()
    values: dict[fx.Node, fx.Node] = {}
    graph.graph_copy(module.graph, values, return_output_node=False)
    (returned,) = module.graph.find_nodes(op="output")
    graph.output(fx.map_arg(returned.args[0], values.__getitem__))
    for call in accumulations(graph):
        if len(call.args) == 4:
            variable, grad, new, has_hooks = call.args
            call.meta[INPUT_OF_GRAD] = grad.args[1] if isinstance(grad, fx.Node) else None
            call.args = (variable, new, has_hooks)
    return fx.GraphModule(module, graph)


def test_each_grad_becomes_an_argument() -> None:
    modules = run_under(CaptureCompiler, captured, backend="none").modules
    assert len(modules) == 2
    for module, is_defined in zip(modules, (False, True), strict=True):
        old = as_until_2_12(module)
        calls = accumulations(with_grads(old).graph)
        assert len(calls) == 4
        for call in calls:
            variable, grad, _, _ = call.args
            assert isinstance(variable, fx.Node)
            assert isinstance(grad, fx.Node) == is_defined
            assert grad is not variable
        assert all(len(call.args) == 3 for call in accumulations(old.graph))  # left as it was
        if len(accumulations(module.graph)[0].args) == 4:
            assert canonical(with_grads(old).graph) == canonical(module.graph)
            assert with_grads(module) is module


def test_a_second_gradient_is_added_to_what_the_first_call_gave() -> None:
    graph = fx.Graph()
    inputs, *_ = map(graph.placeholder, ("inputs", "sizes", "scalars", "hooks", "packed_data"))
    variable, grad, new = (graph.call_function(operator.getitem, (inputs, i)) for i in range(3))
    for _ in range(2):
        call = graph.call_function(graph_calls.call_accumulate_grad, (variable, new, False))
        call.meta[INPUT_OF_GRAD] = 1
    graph.output([])
    first, second = accumulations(with_grads(fx.GraphModule(nn.Module(), graph)).graph)
    assert [str(arg) for arg in first.args[:3]] == [variable.name, grad.name, new.name]
    assert second.args[1] is first
