"""From the captured graph to the backend's own entry, without Dynamo.

AOTAutograd traces the captured module's code as it would trace Dynamo's graph, which is of the
same calls. It knows what `level2` refuses: memory that inputs share, writes to them, gradients
that are views. What it makes of that holds for inputs of the same form, which is guarded.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import FunctionType
from typing import Any, ClassVar

import torch
from torch import fx

from ca_engine import schema
from ca_engine.code_later import compile_code
from ca_engine.compat import (
    ambient,
    aot_autograd,
    compile_session,
    compiled_autograd,
    dynamo,
    graph_calls,
)
from ca_engine.lowering.backends import kernels_together
from ca_engine.lowering.guards import Guards
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.ways import Session


class Level1:
    """One captured graph, compiled from its code."""

    name: ClassVar[schema.LoweringWay] = "l1"

    def __init__(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        inputs: list[torch.Tensor],
        session: Session,
    ) -> None:
        self._returned = _Returned(module.graph)
        self._form = ambient.memory_form(inputs)
        self._guards = Guards(inputs, ())
        with (
            dynamo.without_dynamo(),
            session(),
            compile_session.backend_phase(),
            kernels_together(compiler.backend),
        ):
            self._compiled = aot_autograd.compile_function(
                compiler.call, _Traced(module, self._returned), inputs
            )

    def admits(self, inputs: list[torch.Tensor]) -> bool:
        return self._guards.hold(inputs) and ambient.memory_form(inputs) == self._form

    def failed(self, inputs: list[torch.Tensor]) -> str:
        if not self._guards.hold(inputs):
            return self._guards.failed(inputs)
        return "inputs share memory in another way"

    def differs_in_memory(self, inputs: list[torch.Tensor]) -> bool:
        return self._guards.hold(inputs)  # which do not ask for it

    def run(self, inputs: list[torch.Tensor], *_: Any) -> Sequence[Any]:
        returned = self._returned
        variables = [inputs[index] for index in returned.variables]
        passed_on = [None if index is None else inputs[index] for index in returned.inputs]
        own = list(inputs)
        inputs.clear()
        with dynamo.without_dynamo():
            results = self._compiled(own)
        values = [None if place is None else results[place] for place in returned.places]
        outputs = values[: len(passed_on)]
        for variable, grad in zip(variables, values[len(passed_on) :], strict=True):
            variable.grad = grad
        return [
            output if one is None else one for one, output in zip(passed_on, outputs, strict=True)
        ]


class _Returned:
    """Return what Dynamo's graph would: results that are no inputs, each once, then ``.grad``s.

    ``inputs`` has an item for each result of the captured graph, its position if it is an input.
    ``variables`` are the positions of the parameters whose ``.grad`` is set, in the order in
    which Dynamo returns them. ``places`` says for each result and each ``.grad`` where it is among
    what is returned, None if it is not; known once the graph was traced.
    """

    def __init__(self, graph: fx.Graph) -> None:
        (lifted, *others) = graph.find_nodes(op="placeholder")
        if any(item.users for other in others for item in other.users):
            raise RefusalError("lifted_number", "something that is no tensor")
        positions = {node: index for index, node in _items(lifted)}
        accumulated: list[int] = []
        for node in graph.find_nodes(op="call_function", target=graph_calls.call_accumulate_grad):
            variable = node.args[0]
            if variable not in positions or positions[variable] in accumulated:
                raise RefusalError("accumulates_twice")
            accumulated.append(positions[variable])
        (output,) = graph.find_nodes(op="output")
        self._results: Sequence[Any] = output.args[0]
        self.inputs = [positions.get(node) for node in self._results]
        self.variables = sorted(accumulated)
        self._accumulated = accumulated
        self.places: list[int | None] = []

    def graph_results(
        self, outputs: Sequence[Any], grads: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor]:
        """Select what the traced graph returns, of the values in the run that is traced.

        ``grads`` are in the order of their calls.
        """
        returned: list[torch.Tensor] = []
        self.places = []
        place_of: dict[Any, int] = {}
        for node, position, value in zip(self._results, self.inputs, outputs, strict=True):
            if value is None or position is not None:
                self.places.append(None)
                continue
            if node not in place_of:
                place_of[node] = len(returned)
                returned.append(value)
            self.places.append(place_of[node])
        of_variable = dict(zip(self._accumulated, grads, strict=True))
        for variable in self.variables:
            grad = of_variable[variable]
            self.places.append(None if grad is None else len(returned))
            if grad is not None:
                returned.append(grad)
        return returned


def _items(lifted: fx.Node) -> list[tuple[int, fx.Node]]:
    found: list[tuple[int, fx.Node]] = []
    for user in lifted.users:
        if user.target is not operator.getitem or not isinstance(user.args[1], int):
            raise RefusalError("constant", "the list of inputs")
        found.append((user.args[1], user))
    return found


class _Traced:
    """The captured module's code as a function of tensors alone, which AOTAutograd traces."""

    def __init__(self, module: fx.GraphModule, returned: _Returned) -> None:
        forward: Any = type(compile_code(module)).forward
        self._module = module
        self._returned = returned
        self._code = forward.__code__
        self._globals = dict(forward.__globals__)
        self._accumulate_name = next(
            (
                name
                for name, value in self._globals.items()
                if value is graph_calls.call_accumulate_grad
            ),
            None,
        )

    def __call__(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        grads: list[torch.Tensor | None] = []

        def call_accumulate_grad(
            variable: torch.Tensor, grad: torch.Tensor | None, new: torch.Tensor, has_hooks: bool
        ) -> None:
            # Registered by the first graph that accumulates: in this process there may be none.
            accumulate = compiled_autograd.op_registry().get("AccumulateGrad")
            grads.append(accumulate([new], variable, grad, has_hooks)[0])

        names = dict(self._globals)
        if self._accumulate_name is not None:
            names[self._accumulate_name] = call_accumulate_grad
        # Nothing but tensors is used: `_Returned` has seen to that. Items of the other lists are
        # fetched all the same.
        nothing = _Nothing()
        forward = FunctionType(self._code, names)
        outputs = forward(self._module, inputs, nothing, nothing, nothing, nothing)
        return self._returned.graph_results(outputs, grads)


class _Nothing:
    def __getitem__(self, _: int) -> None:
        return None
