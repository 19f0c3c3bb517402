"""The same programs with lowering and without, down to the ATen graphs that the backends get."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import pytest
import torch
import torch._inductor.compile_fx
from torch import fx
from torch._dynamo.backends import debugging
from torch._functorch import config as functorch_config
from torch._inductor.utils import fresh_cache

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import lowered
from ca_engine.lowering.check import NodeRow, rows_of
from ca_engine.lowering.direct import Direct
from ca_engine.lowering.modes import Mode
from tests.engine import conftest


@contextlib.contextmanager
def graphs_of(backend: str, *, run_inductor: bool = False) -> Iterator[list[list[NodeRow]]]:
    """Collects the graphs behind AOTAutograd. Inductor's run as they are, not compiled.

    Unless ``run_inductor``: then they are compiled by it.
    """
    graphs: list[list[NodeRow]] = []
    boxed_nop = debugging.boxed_nop
    compile_fx_forward = torch._inductor.compile_fx.compile_fx_forward

    def collecting_nop(module: fx.GraphModule, inputs: Any) -> Any:
        graphs.append(rows_of(module.graph))
        return boxed_nop(module, inputs)

    def collecting_inductor(module: fx.GraphModule, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        graphs.append(rows_of(module.graph))
        if run_inductor:
            return compile_fx_forward(module, inputs, *args, **kwargs)
        return boxed_nop(module, inputs)

    with contextlib.ExitStack() as stack:
        patch = lambda *args: stack.enter_context(mock.patch.object(*args))  # noqa: E731
        if backend == "aot_eager":
            patch(debugging, "boxed_nop", collecting_nop)
        else:
            patch(torch._inductor.compile_fx, "compile_fx_forward", collecting_inductor)
        # Where that cache hits there is no graph to be seen.
        stack.enter_context(functorch_config.patch(enable_autograd_cache=False))
        yield graphs


def compare_lowering(
    program: conftest.Program,
    *,
    backend: str,
    mode: Mode = Mode.ON,
    run_inductor: bool = False,
    **options: Any,
) -> conftest.Outcome:
    """Runs ``program`` with lowering and without; asserts that nothing tells them apart.

    Neither results nor the state left behind, nor the number of captures; and where every graph
    was lowered to ATen, the backend was given the same graphs. Those that take sizes are compared
    by ``CA_LOWERING=check``: Dynamo's are for all sizes; not those that are lowered again where
    torch's engine hits. With ``run_inductor`` each run has a cache
    of its own, so that inductor compiles both.
    """
    options["backend"] = backend
    cache: Callable[[], Any] = fresh_cache if run_inductor else contextlib.nullcontext
    with cache(), graphs_of(backend, run_inductor=run_inductor) as expected_graphs:
        try:
            expected = conftest.run_under(CaptureCompiler, program, **options)
        except Exception as error:
            with pytest.raises(type(error)):
                conftest.run_under(CaptureCompiler, program, lowering=mode, **options)
            pytest.skip(f"torch itself fails with {backend}: {type(error).__name__}")
    with cache(), graphs_of(backend, run_inductor=run_inductor) as graphs:
        got = conftest.run_under(CaptureCompiler, program, lowering=mode, **options)
    assert len(got.graphs) == len(expected.graphs), "number of captures"
    conftest.assert_same_bits(got, expected)
    is_lowered_again = len(got.ways) > len(got.graphs)  # for other memory
    if set(got.ways) == {"lowered"} and not (takes_sizes(got) or is_lowered_again):
        assert graphs == expected_graphs
    return got


def takes_sizes(outcome: conftest.Outcome) -> bool:
    graphs: list[Any] = [module.graph for module in outcome.modules]
    return any(graph.inputs.sizes for graph in graphs)


def run_as_traced(program: conftest.Program, **options: Any) -> conftest.Outcome:
    """Runs ``program`` as a graph runs until inductor has compiled it in the background."""
    as_traced = partial(Direct, as_traced=True)
    options |= {"backend": "eager", "fullgraph": False}
    with mock.patch.object(lowered, "Direct", as_traced):
        return conftest.run_under(CaptureCompiler, program, lowering=Mode.ON, **options)
