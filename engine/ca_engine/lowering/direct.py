"""Backend ``eager``: the code of the captured module runs as it is.

Dynamo would trace that code into a second graph of the same calls and run that. The calls, their
order and their arguments are the same; so are autocast, deterministic mode and all else that
operators look at when they run. Two things differ, both towards eager mode: a Python hook's side
effects happen when the hook runs and not behind the graph, and nothing is traced, so what Dynamo
can't trace is no graph break.

Dynamo sets ``.grad`` behind the graph, so that a backward that raises half-way leaves None where
None was. Here as well, unless Python code of the user's runs in between and could look. What that
code queues on the autograd engine runs at the end, as in eager mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any, ClassVar

import torch
from torch import fx

from ca_engine import schema
from ca_engine.code_later import compile_code
from ca_engine.compat import compiled_autograd, dynamo, graph_calls
from ca_engine.compat.final_callbacks import FinalCallbacks
from ca_engine.lowering.contents import Contents
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.ways import Session


class Direct:
    """Runs one captured module's code. Needs no guards: nothing in it was specialised.

    With ``as_traced`` it computes what AOTAutograd's graph of that code computes, to the bit.
    """

    name: ClassVar[schema.LoweringWay] = "direct"

    def __init__(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        contents: Contents,
        session: Session,
        *,
        as_traced: bool = False,
    ) -> None:
        if compiler.fullgraph and contents.python is not None:
            # Dynamo raises an error for what it can't trace; only Dynamo knows what that is.
            raise RefusalError("fullgraph", contents.python.detail)
        with session():
            pass  # there is nothing to compile
        self._module = module
        forward: Any = type(compile_code(module)).forward
        self._code = forward.__code__
        # C++'s function itself in place of torch's callable around it.
        of_node = graph_calls.cpp_function_as_traced if as_traced else graph_calls.cpp_function
        self._globals = {name: of_node(value) for name, value in forward.__globals__.items()}
        names = {id(value): name for name, value in forward.__globals__.items()}
        self._accumulate_name = names.get(id(graph_calls.call_accumulate_grad))
        self._callbacks_name = names[id(graph_calls.EXEC_FINAL_CALLBACKS)]
        self._runs_python = contents.python is not None

    def admits(self, _: list[torch.Tensor]) -> bool:
        return True

    def differs_in_memory(self, _: list[torch.Tensor]) -> bool:
        return False

    def failed(self, _: list[torch.Tensor]) -> str:
        raise AssertionError("there is no guard that could fail")

    def run(self, *args: Any) -> Sequence[Any]:
        """Run it; ``args`` are those of the captured graph."""
        if self._runs_python:
            callbacks = FinalCallbacks()
            forward = FunctionType(
                self._code, {**self._globals, self._callbacks_name: callbacks.run}
            )
            with dynamo.without_dynamo(), callbacks.collected():
                with_python: Sequence[Any] = forward(self._module, *args)
            return with_python
        if self._accumulate_name is None:
            forward = FunctionType(self._code, self._globals)
            with dynamo.without_dynamo():
                outputs: Sequence[Any] = forward(self._module, *args)
            return outputs
        updated: list[tuple[torch.Tensor, torch.Tensor | None]] = []
        accumulate = graph_calls.cpp_function(compiled_autograd.op_registry().get("AccumulateGrad"))

        def call_accumulate_grad(
            variable: torch.Tensor, grad: torch.Tensor | None, new: torch.Tensor, has_hooks: bool
        ) -> torch.Tensor | None:
            result: torch.Tensor | None = accumulate([new], variable, grad, has_hooks)[0]
            updated.append((variable, result))
            return result

        forward = FunctionType(
            self._code, {**self._globals, self._accumulate_name: call_accumulate_grad}
        )
        with dynamo.without_dynamo():
            outputs = forward(self._module, *args)
        for variable, grad in updated:
            variable.grad = grad
        return outputs
