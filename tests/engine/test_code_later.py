"""A module whose code is compiled later is, to all that looks at it, one that has its code."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx
from torch._dynamo.testing import CompileCounter

from ca_engine.capture.code import CapturedGraph, module_without_code
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.code_later import compile_code
from ca_engine.lowering import modes
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import Backward, leaf, run_under

FX_RECOMPILE = fx.GraphModule.recompile


def a_graph() -> CapturedGraph:
    graph = CapturedGraph()
    inputs, sizes = graph.placeholder("inputs"), graph.placeholder("sizes")
    product = graph.call_function(torch.mul, (inputs, sizes))
    graph.output((graph.call_function(torch.add, (product, 1.5)), None))
    return graph


def later() -> fx.GraphModule:
    return module_without_code(torch.nn.Module(), a_graph(), "Captured")


def at_once() -> fx.GraphModule:
    return fx.GraphModule(torch.nn.Module(), a_graph(), "Captured")


def of_forward(module: fx.GraphModule) -> Any:
    module(torch.ones(2), 2)
    function = type(module).forward
    code = function.__code__
    names = {name for name in function.__globals__ if name != "__builtins__"}
    return code.co_code, code.co_varnames, code.co_consts, code.co_firstlineno, names


LOOKS: dict[str, Callable[[fx.GraphModule], Any]] = {
    "call": lambda module: module(torch.ones(2), 3)[0].tolist(),
    "forward": lambda module: module.forward(torch.ones(2), 3)[0].tolist(),
    "code": lambda module: module.code,
    "line map": lambda module: (module._lineno_map, module._prologue_start),
    "print": str,
    "readable": lambda module: module.print_readable(print_output=False),
    "copy": lambda module: copy.deepcopy(module)(torch.ones(2), 3)[0].tolist(),
    "code of a copy": lambda module: copy.deepcopy(module).code,
    "pickle": lambda module: pickle.loads(pickle.dumps(module)).code,
    "recompile": lambda module: module.recompile().src,
    "trace": lambda module: fx.symbolic_trace(module).code,
    "function": of_forward,
    "missing": lambda module: hasattr(module, "no_such_name"),
    "names": lambda module: (type(module).__name__, sorted(compile_code(module).__dict__)),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_seen(look: str) -> None:
    assert LOOKS[look](later()) == LOOKS[look](at_once())


def test_the_function_stays_the_same() -> None:
    module = later()
    forward, method = type(module).forward, module.forward
    code = forward.__code__
    compile_code(module)
    assert type(module).forward is forward
    assert forward.__code__ is not code
    assert method(torch.ones(2), 3)[0].tolist() == [4.5, 4.5]
    assert not {"__getattr__", "__reduce__"} & vars(type(module)).keys()
    assert compile_code(module) is module


def test_a_graph_that_was_changed_in_between() -> None:
    module = later()
    for node in module.graph.find_nodes(op="call_function", target=torch.mul):
        node.target = torch.add
    module.recompile()
    assert module(torch.ones(2), 3)[0].tolist() == [5.5, 5.5]


def test_what_torch_compile_made_of_it_traces_its_code() -> None:
    counter = CompileCounter()
    module = later()
    compiled = torch.compile(module, backend=counter, fullgraph=True)
    compile_code(module)
    assert compiled(torch.ones(2), 3)[0].tolist() == [4.5, 4.5]
    assert (counter.frame_count, counter.op_count) == (1, 2)


@pytest.fixture
def compiled_codes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the captured modules whose code was compiled."""
    names: list[str] = []

    def noting(module: fx.GraphModule) -> Any:
        code = FX_RECOMPILE(module)
        if type(module).__name__.startswith("CompiledAutograd") and "torch.add" in code.src:
            names.append(type(module).__name__)
        return code

    monkeypatch.setattr(fx.GraphModule, "recompile", noting)
    return names


def twice(backward: Backward) -> Any:
    x = leaf(3)
    for _ in range(2):
        backward((x.exp() + x.sin()).sum())
    return x.grad


@pytest.mark.skipif(not modes.is_proven(), reason="lowering is off with this version of torch")
@pytest.mark.parametrize(
    ("backend", "mode", "count"),
    [
        ("aot_eager", Mode.ON, 0),
        ("eager", Mode.ON, 2),
        ("aot_eager", Mode.OFF, 2),
        ("none", Mode.ON, 2),
    ],
)
def test_only_what_runs_is_compiled(
    backend: str, mode: Mode, count: int, compiled_codes: list[str]
) -> None:
    outcome = run_under(CaptureCompiler, twice, backend=backend, lowering=mode)
    assert len(outcome.graphs) == 2
    assert len(compiled_codes) == count
