"""From the captured graph to the backend behind AOTAutograd, without Dynamo and AOTAutograd.

The ATen graph is put together from templates and handed to what ``aot_eager`` and ``inductor``
compile an inference graph with. It is done only where that graph is AOTAutograd's, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import fx
from torch.autograd.graph import increment_version

from ca_engine import schema
from ca_engine.compat import ambient, compile_session, dynamo
from ca_engine.lowering import backends
from ca_engine.lowering.assemble import AtenGraph, assemble
from ca_engine.lowering.guards import Guards
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.ways import Session


class Level2:
    """One captured graph, compiled from its ATen graph."""

    name: ClassVar[schema.LoweringWay] = "l2"

    def __init__(self, aten: AtenGraph, guards: Guards, compiled: backends.CompiledAten) -> None:
        self._aten = aten
        self._guards = guards
        self._compiled = compiled

    @classmethod
    def lowered(
        cls,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        inputs: list[torch.Tensor],
        session: Session,
    ) -> Level2:
        """Compile ``module`` now. Raises `RefusalError` before anything is compiled."""
        backend = backends.BACKENDS[compiler.backend]
        aten = assemble(module.graph, inputs, backend.templates(compiler))
        refuse_by_grads(inputs, aten)
        guards = Guards(inputs, aten.changed)
        with session(), compile_session.backend_phase():
            compile_session.announce_aten_graph(aten.graph)
            return cls(aten, guards, backend.compile(aten, compiler, inputs))

    def admits(self, inputs: list[torch.Tensor]) -> bool:
        return self._guards.hold(inputs)

    def failed(self, inputs: list[torch.Tensor]) -> str:
        return self._guards.failed(inputs)

    def differs_in_memory(self, inputs: list[torch.Tensor]) -> bool:
        return self._guards.differ_in_memory(inputs)

    def run(self, inputs: list[torch.Tensor], *_: Any) -> Sequence[Any]:
        grads = [(inputs[index], place) for index, place in self._aten.grads.items()]
        if self._aten.changed:
            # As AOTAutograd does around a graph that writes to its inputs.
            increment_version([inputs[index] for index in self._aten.changed])
        # As Dynamo's code does: what was saved is freed as soon as it is used.
        own = list(inputs)
        inputs.clear()
        with dynamo.without_dynamo():
            results = self._compiled(own)
        for variable, place in grads:
            variable.grad = results[place]
        return [None if index is None else results[index] for index in self._aten.outputs]


def refuse_by_grads(inputs: Sequence[torch.Tensor], aten: AtenGraph) -> None:
    """Refuse where the ``.grad``s that are added to aren't tensors of their own."""
    for position in aten.changed:
        grad = inputs[position]
        if grad.requires_grad:
            raise RefusalError("grad_form", "it requires a gradient itself")
        if ambient.is_expanded(grad):
            raise RefusalError("grad_overlaps")
        if ambient.overlaps_itself(grad):
            raise RefusalError("grad_form", "elements of it share memory")
