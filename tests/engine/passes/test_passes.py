"""The checker that runs after each pass of every capture of these tests (`run_under`), on graphs
that are broken; programs whose passes have most to do; and the passes that decide on numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
from torch import fx

from ca_engine.capture.builder import PLACEHOLDERS
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import compiled_autograd, dynamo, graph_calls
from ca_engine.passes import PASSES
from ca_engine.passes.cudagraph_scalars import move_scalars_to_gpu
from ca_engine.passes.inputs import BackwardGraph, InputKind
from ca_engine.passes.placing import hook_calls
from ca_engine.passes.unused_sizes import drop_unused_sizes
from tests.engine import graph_checker
from tests.engine.conftest import Backward, leaf, run_under
from tests.engine.test_regions_and_hooks_against_torch import ORDERED


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("run", ORDERED, ids=lambda fn: fn.__name__)
def test_each_pass_leaves_a_sound_graph(run: Callable[[Backward], Any], dynamic: bool) -> None:
    outcome = run_under(CaptureCompiler, run, backend="none", dynamic=dynamic)
    assert outcome.graphs
    assert outcome.passes == [one.__name__ for one in PASSES] * len(outcome.graphs)


def calls(graph: fx.Graph, target: Any) -> list[fx.Node]:
    return list(graph.find_nodes(op="call_function", target=target))


def returned_by(call: fx.Node) -> fx.Node:
    """What a hook's call gets, and returns unless the hook does otherwise."""
    given = call.args[1]
    assert isinstance(given, fx.Node)
    return given


def lose_a_hook(graph: fx.Graph) -> None:
    call = calls(graph, graph_calls.call_hook)[-1]
    call.replace_all_uses_with(returned_by(call))
    graph.erase_node(call)


def accumulate_before_anything(graph: fx.Graph) -> None:
    first = next(node for node in graph.nodes if node.op != "placeholder")
    first.prepend(calls(graph, graph_calls.call_accumulate_grad)[0])


def run_a_hook_of_a_leaf_late(graph: fx.Graph) -> None:
    (call,) = hook_calls(graph, "post_acc_grad_hook")
    calls(graph, graph_calls.EXEC_FINAL_CALLBACKS)[0].prepend(call)


def run_a_hook_of_a_tensor_late(graph: fx.Graph) -> None:
    (call,) = hook_calls(graph, "tensor_pre_hook")
    call.replace_all_uses_with(returned_by(call), delete_user_cb=lambda user: user is not call)
    calls(graph, graph_calls.EXEC_FINAL_CALLBACKS)[0].prepend(call)


def call_a_hook_that_is_a_gradient(graph: fx.Graph) -> None:
    (call,) = hook_calls(graph, "tensor_pre_hook")
    call.update_arg(0, call.args[1])


def forget_which_kind_a_hook_is(graph: fx.Graph) -> None:
    calls(graph, graph_calls.call_hook)[0].kwargs = {"hook_type": "hook"}


def one_more_input(graph: fx.Graph) -> None:
    with graph.inserting_before(next(iter(graph.nodes))):
        graph.placeholder("more")


@pytest.mark.parametrize(
    ("breaking", "complaint"),
    [
        (lose_a_hook, "lost a node with effects"),
        (accumulate_before_anything, "(used before|before its)"),
        (run_a_hook_of_a_leaf_late, "runs long after"),
        (run_a_hook_of_a_tensor_late, "runs long after"),
        (call_a_hook_that_is_a_gradient, "calls something that is no hook"),
        (forget_which_kind_a_hook_is, "a hook of no kind"),
        (one_more_input, "the graph's inputs: "),
    ],
    ids=lambda value: getattr(value, "__name__", "refused"),
)
def test_the_checker_refuses_what_a_pass_may_break(
    breaking: Callable[[fx.Graph], None], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(backward: Backward) -> Any:
        x, z = leaf(3), leaf(3)
        y = x * 2
        y.register_hook(lambda grad: grad + 1)
        z.register_post_accumulate_grad_hook(lambda parameter: None)
        backward((y.exp() * z).sum())
        return x.grad, z.grad

    run_under(CaptureCompiler, program, backend="none")
    monkeypatch.setattr(graph_checker, "PASSES", (*PASSES, breaking))
    with pytest.raises((AssertionError, RuntimeError), match=complaint):
        run_under(CaptureCompiler, program, backend="none")


def graph_of(inputs: int = 0, sizes: int = 0) -> tuple[BackwardGraph, dict[str, list[fx.Node]]]:
    graph = BackwardGraph()
    placeholders = {name: graph.placeholder(name) for name in PLACEHOLDERS}
    items = {
        name: [
            graph.call_function(operator.getitem, (placeholders[name], index))
            for index in range(count)
        ]
        for name, count in (("inputs", inputs), ("sizes", sizes))
    }
    return graph, items


def test_unused_sizes_are_dropped_and_the_rest_renumbered() -> None:
    graph, items = graph_of(sizes=4)
    kept = [
        graph.call_function(graph_calls.unwrap_maybe_dynamic_int, (items["sizes"][index],))
        for index in (1, 3)
    ]
    graph.output(kept)
    drop_unused_sizes(graph)
    assert graph.inputs.sizes == [1, 3]
    (sizes,) = graph.find_nodes(op="placeholder", target="sizes")
    assert [item.args[1] for item in sizes.users] == [0, 1]
    graph.lint()


CPU_SCALAR, GPU_MATRIX = InputKind("cpu", 0), InputKind("cuda", 2)


def mul_backward() -> Any:
    """The registered function of a C++ node, as captured graphs call it."""
    x = torch.ones(2, requires_grad=True)
    run_under(CaptureCompiler, lambda backward: backward((x * x).sum()))
    return compiled_autograd.op_registry().get("MulBackward0")


def moved(graph: BackwardGraph, tensors: list[InputKind], *, cudagraphs: bool = True) -> list[int]:
    graph.inputs.tensors, graph.inputs.moved = tensors, []
    with mock.patch.object(dynamo, "cudagraphs_enabled", return_value=cudagraphs):
        move_scalars_to_gpu(graph)
    return graph.inputs.moved


def test_a_cpu_scalar_of_an_operator_moves_to_the_gpu_when_the_graph_is_there() -> None:
    graph, items = graph_of(inputs=2)
    scalar, matrix = items["inputs"]
    graph.output([graph.call_function(torch.ops.aten.mul.Tensor, (matrix, scalar))])
    assert moved(graph, [CPU_SCALAR, GPU_MATRIX]) == [0]
    assert moved(graph, [CPU_SCALAR, InputKind("cpu", 2)]) == []
    assert moved(graph, [CPU_SCALAR, GPU_MATRIX], cudagraphs=False) == []


def test_a_cpu_scalar_of_a_builtin_node_moves_too() -> None:
    graph, items = graph_of(inputs=2)
    scalar, matrix = items["inputs"]
    graph.output([graph.call_function(mul_backward(), ([matrix], scalar))])
    assert moved(graph, [CPU_SCALAR, GPU_MATRIX]) == [0]


def test_a_cpu_scalar_that_user_code_sees_stays() -> None:
    graph, items = graph_of(inputs=2)
    scalar, matrix = items["inputs"]
    product = graph.call_function(torch.ops.aten.mul.Tensor, (matrix, scalar))
    graph.output([graph.call_function(graph_calls.call_hook, (product, scalar))])
    assert moved(graph, [CPU_SCALAR, GPU_MATRIX]) == []


def test_matrices_and_gpu_scalars_stay() -> None:
    graph, items = graph_of(inputs=3)
    graph.output([graph.call_function(torch.ops.aten.addmm.default, tuple(items["inputs"]))])
    kinds = [InputKind("cuda", 0), InputKind("cpu", 1), GPU_MATRIX]
    assert moved(graph, kinds) == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA graphs need a GPU")
def test_scalars_are_on_the_gpu_when_the_graph_runs() -> None:
    """With CUDA graphs on, the number of ``x * number`` goes to the GPU and the rest is equal."""
    from torch._inductor import config

    devices: list[set[str]] = []

    def program(backward: Backward) -> Any:
        def seeing(module: fx.GraphModule) -> Any:
            def run(inputs: list[torch.Tensor], *rest: Any) -> Any:
                devices.append({tensor.device.type for tensor in inputs})
                return module(inputs, *rest)

            return run

        x = torch.randn(4, device="cuda", requires_grad=True)
        scale = torch.tensor(2.5)
        with compiled_autograd.enable(seeing):
            (x * scale).sum().backward()
        return x.grad

    with config.patch({"triton.cudagraphs": True}):
        outcome = run_under(CaptureCompiler, program)
    assert devices == [{"cuda"}]
    assert torch.equal(outcome.result, torch.full((4,), 2.5, device="cuda"))
