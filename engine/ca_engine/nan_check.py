"""Anomaly mode: NaN gradients are reported at the end of a compiled backward.

Eager anomaly mode looks after every node. Here that would change the compiled code, so what
the backward leaves behind is checked instead: the ``.grad`` it accumulated, or the gradients
it returned. The check is not part of C++'s cache key: it is on for a graph captured under
anomaly mode, and stays off for one captured without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from ca_engine.compat import compiled_autograd, graph_calls


class NanCheck:
    """Checks each run of one captured graph. Raises RuntimeError naming the NaN gradients."""

    def __init__(self, graph: fx.Graph, *, accumulate_grad: bool) -> None:
        self._accumulate_grad = accumulate_grad
        # (position in `inputs`, name) of every parameter whose .grad this graph writes
        self._parameters: list[tuple[int, str]] = []
        for call in graph.find_nodes(op="call_function", target=graph_calls.call_accumulate_grad):
            parameter = call.args[0]
            assert isinstance(parameter, fx.Node)
            index = parameter.args[1]
            assert isinstance(index, int), "AccumulateGrad's variable is always a lifted input"
            self._parameters.append((index, f"inputs[{index}]"))
        (output,) = graph.find_nodes(op="output")
        self._output_names = [str(node) for node in output.args[0]]

    def before(self, inputs: Sequence[torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return the parameters to look at afterwards. Raises if one has a NaN gradient already."""
        if not self._accumulate_grad:
            return {}
        parameters = {name: inputs[index] for index, name in self._parameters}
        for name, parameter in parameters.items():
            if parameter.grad is not None and bool(parameter.grad.isnan().any()):
                raise AssertionError(
                    f"Compiled autograd running under anomaly mode with {name} already having "
                    f"NaN gradient. This is not supported. {compiled_autograd.TURN_OFF_TEXT}"
                )
        return parameters

    def after(self, parameters: dict[str, torch.Tensor], outputs: Sequence[Any]) -> None:
        if self._accumulate_grad:
            grads = {name: parameter.grad for name, parameter in parameters.items()}
            what = "parameters"
        else:
            grads = dict(zip(self._output_names, outputs, strict=True))
            what = "output nodes"
        bad = [name for name, grad in grads.items() if grad is not None and grad.isnan().any()]
        if bad:
            raise RuntimeError(
                f"Compiled Autograd returned NaN gradients for {what}: {','.join(bad)}."
            )
