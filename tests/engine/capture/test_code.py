"""The code of captured graphs is the code that FX would write, to the byte.

Every test that compares the engines checks it too, in `conftest.Backward`.
"""

from __future__ import annotations

import copy
import enum
import math
import operator
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import fx

from ca_engine.capture.code import CapturedGraph, agrees_with_fx, quick_code
from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import Backward, check_code, run_under
from tests.engine.test_against_torch import (
    aot_region,
    aot_region_with_hooks,
    custom_function,
    dynamic_aot_region,
    hooks_around_accumulation,
    linear_layers,
    slices_with_changing_bounds,
)


def test_this_torch_writes_the_code_that_ours_writes() -> None:
    assert agrees_with_fx()


@pytest.mark.parametrize(
    "run",
    [
        linear_layers,
        slices_with_changing_bounds,
        custom_function,
        hooks_around_accumulation,
        aot_region,
        aot_region_with_hooks,
        dynamic_aot_region,
    ],
    ids=lambda fn: fn.__name__,
)
def test_captured_graphs_are_plain(run: Callable[[Backward], Any]) -> None:
    for module in run_under(CaptureCompiler, run).modules:
        assert type(module.graph) is CapturedGraph
        for comments in (False, True):
            assert quick_code(module.graph, "self", comments=comments) is not None


class Point(NamedTuple):
    x: int
    y: int


class Colour(enum.Enum):
    RED = 1


class Opaque:
    def __repr__(self) -> str:
        return "Opaque()"


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from([torch.float32, torch.device("cpu"), torch.strided, torch.channels_last]),
)
ODD = st.sampled_from(
    [
        slice(None, 3),
        Colour.RED,
        Point(1, 2),
        1 + 2j,
        {"a": 1},
        torch.ones(2),
        torch.Size([1, 2]),
        torch.ops.aten.mul.Tensor,
        "# COUNTER: 7",
        Opaque(),
    ]
)
TARGETS = st.sampled_from(
    [
        operator.getitem,
        operator.add,
        operator.neg,
        operator.iadd,
        getattr,
        torch.mul,
        torch.ops.aten.view.default,
        torch.nn.functional.relu,
        torch.Tensor.add,
        math.floor,
        check_code,
        torch.device,
    ]
)
NAMES = st.sampled_from([None, "x", "x_1", "torch", "print", "for", "inf", "math_floor"])
META: dict[str, Any] = {
    "stack_trace": '  File "a.py", line 1, in f\n    x + 1\n',
    "autograd_backward": True,
    "val": torch.ones(2),
    "custom": {"note": 1},
    "is_wrapped": True,
    "boxed_arg_indices": (),
    "seq_nr": 4,
}


@st.composite
def graphs(draw: st.DrawFn) -> fx.Graph:
    """Graphs of plain and of odd nodes alike."""
    graph = CapturedGraph()
    values: list[Any] = [graph.placeholder("inputs")]
    leaf = st.one_of(PLAIN, ODD, st.deferred(lambda: st.sampled_from(values)))
    argument: st.SearchStrategy[Any] = st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple)
    )
    for _ in range(draw(st.integers(0, 6))):
        op = draw(st.sampled_from(["call_function"] * 4 + ["get_attr", "call_module"]))
        target: Any
        args: tuple[Any, ...]
        if op == "call_function":
            target = draw(TARGETS)
            count = 1 if target is operator.neg else 2
            args = tuple(draw(argument) for _ in range(count))
        else:
            target, args = draw(st.sampled_from(["part", "part.0", "deep.part"])), ()
        kwargs = {"dim": draw(argument)} if op == "call_function" and draw(st.booleans()) else {}
        node = graph.create_node(op, target, args, kwargs, draw(NAMES))
        node.meta.update({key: META[key] for key in draw(st.sets(st.sampled_from(list(META))))})
        if draw(st.integers(0, 9)) == 0:
            node.type = int
        values.append(node)
    graph.output(draw(argument))
    return graph


@pytest.mark.long
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(graphs())
def test_any_graph_has_the_code_that_fx_writes(graph: fx.Graph) -> None:
    check_code(graph)


def test_another_code_generator_is_obeyed() -> None:
    module = captured()
    module.graph.on_generate_code(lambda _: lambda body: ["print('hello')\n", *body])
    module.recompile()
    assert "print('hello')" in module.code
    module.graph.set_codegen(fx.graph.CodeGen())
    module.recompile()
    assert "print" not in module.code


@pytest.mark.parametrize("switch", ["FX_GRAPH_SHOW_META", "FX_GRAPH_SHOW_STRIDE"])
def test_switches_of_fx_are_obeyed(switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = captured()
    monkeypatch.setenv(switch, "1")
    check_code(module.graph)


def test_an_edited_graph_is_recompiled_and_runs() -> None:
    module = captured()
    graph = module.graph
    (output,) = graph.find_nodes(op="output")
    with graph.inserting_before(output):
        doubled = graph.call_function(torch.mul, (output.args[0][0], 2))
    output.args = ([doubled],)
    module.recompile()
    check_code(graph)
    assert "torch.mul" in module.code
    (result,) = module([torch.full((3,), 5.0)], [], [], [], [])
    assert torch.equal(result, torch.full((3,), 10.0))


def test_copies_and_pickles_write_the_same_code() -> None:
    module = captured()
    copied = copy.deepcopy(module)
    assert copied.code == module.code
    again = pickle.loads(pickle.dumps(module))
    assert len(again.graph.nodes) == len(module.graph.nodes)
    for one in (module, copied, again):
        (result,) = one([torch.full((3,), 5.0)], [], [], [], [])
        assert torch.equal(result, torch.full((3,), 5.0))


def test_readable_code_is_that_of_a_plain_graph() -> None:
    module = captured()
    plain = fx.GraphModule(module, copy.deepcopy(module.graph), type(module).__name__)
    assert type(plain.graph) is fx.Graph
    choices: list[dict[str, Any]] = [
        {},
        {"include_stride": True, "include_device": True},
        {"colored": True},
    ]
    for options in choices:
        assert module.print_readable(False, **options) == plain.print_readable(False, **options)


def captured() -> fx.GraphModule:
    """A graph in the form of a capture: returns its first input."""
    graph = CapturedGraph()
    inputs, *_ = (
        graph.placeholder(name) for name in ("inputs", "sizes", "scalars", "hooks", "packed_data")
    )
    item = graph.call_function(operator.getitem, (inputs, 0))
    item.meta["stack_trace"] = META["stack_trace"]
    graph.output([item])
    return fx.GraphModule(torch.nn.Module(), graph, "CompiledAutograd0")
