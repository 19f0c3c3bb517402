"""Graphs that are made by hand."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx

from ca_engine.compat import graph_calls
from ca_engine.lowering.assemble import assemble
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import Templates

ADD, WRITE = torch.ops.aten.add.Tensor, torch.ops.aten.mul_.Tensor


class ByHand:
    """A captured graph in the making; ``inputs[i]`` and ``scalars[i]`` are items of its inputs."""

    def __init__(self) -> None:
        self.graph = fx.Graph()
        names = ("inputs", "sizes", "scalars", "hooks", "packed_data")
        inputs, _, scalars, _, _ = map(self.graph.placeholder, names)
        self.inputs = [self.call(operator.getitem, inputs, index) for index in range(4)]
        self.scalars = [self.call(operator.getitem, scalars, 0)]

    def call(self, target: Callable[..., Any], *args: Any) -> fx.Node:
        return self.graph.call_function(target, args)

    def accumulate(self, variable: int, grad: Any, new: Any) -> fx.Node:
        target = graph_calls.call_accumulate_grad
        return self.call(target, self.inputs[variable], grad, new, False)

    def assembled(self, *returned: fx.Node) -> Any:
        self.graph.output(list(returned))
        # The first two can be parameters.
        inputs = [torch.ones(2, 3, requires_grad=index < 2) for index in range(len(self.inputs))]
        with torch.no_grad():  # as in a backward
            return assemble(self.graph, inputs, Templates({}))


def reason_of(run: Callable[[], Any]) -> str:
    with pytest.raises(RefusalError) as refused:
        run()
    return refused.value.reason
