"""Conditions that no program of the other tests comes upon, on graphs that are made by hand."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest
import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx, nn
from torch._inductor import config
from torch._prims.rng_prims import run_with_rng_state

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import graph_calls
from ca_engine.lowering.assemble import assemble
from ca_engine.lowering.backends import Inductor
from ca_engine.lowering.conditions import refuse_by_world
from ca_engine.lowering.contents import look_through
from ca_engine.lowering.level1 import _Returned
from ca_engine.lowering.recognise import recognise
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import Templates
from tests.engine.conftest import leaf, run_under

ADD, WRITE = torch.ops.aten.add.Tensor, torch.ops.aten.mul_.Tensor


@pytest.fixture(scope="module", autouse=True)
def _accumulation_is_bound() -> None:
    """Torch binds the functions of C++ nodes when it first captures one."""
    x = leaf(2)
    run_under(CaptureCompiler, lambda backward: backward(x.sum()), backend="none")


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


def test_an_operator_that_takes_an_operator() -> None:
    """Torch looks for its rules by the very class of the mode that traces."""
    by_hand = ByHand()
    result = by_hand.call(run_with_rng_state, by_hand.inputs[2], ADD, *by_hand.inputs[2:])
    with pytest.raises(RefusalError, match="run_with_rng_state") as refused:
        by_hand.assembled(result)
    assert refused.value.reason == "higher_order_operator"


def cpp_function_that_must_not_be_traced() -> Any:
    """As torch makes them: a function of the module of its own engine."""
    code = compile("lambda grads: grads", "<string>", "eval").co_consts[0]
    return FunctionType(code, {"__name__": torch_engine.__name__}, "CppFunction")


@pytest.mark.parametrize(
    ("reason", "target"),
    [
        ("cpp_hook", graph_calls.call_cpp_tensor_pre_hooks),
        ("cpp_function", cpp_function_that_must_not_be_traced()),
        ("python_hook", graph_calls.call_hook),
        ("python_function", graph_calls.call_backward),
    ],
)
def test_calls_that_run_python_code(reason: str, target: Any) -> None:
    made = ByHand()
    made.call(target, made.inputs[0])
    found = look_through(made.graph, []).python
    assert found is not None
    assert found.reason == reason


def test_calls_of_modules() -> None:
    made = ByHand()
    made.graph.call_module("layer", (made.inputs[0],))
    found = look_through(made.graph, []).python
    assert found is not None
    assert found.reason == "module_call"


def test_numbers_that_were_lifted() -> None:
    made = ByHand()
    module = fx.GraphModule(nn.Module(), fx.Graph())
    compiler = recognise(module, torch.compile(module, backend="aot_eager"))
    assert not look_through(made.graph, []).scalars
    made.call(operator.mul, made.inputs[0], made.scalars[0])
    contents = look_through(made.graph, [])
    assert reason_of(lambda: refuse_by_world(compiler, contents)) == "lifted_number"


def test_two_gradients_of_one_parameter() -> None:
    made = ByHand()
    for new in made.inputs[1:3]:
        made.accumulate(0, None, new)
    assert reason_of(made.assembled) == "accumulates_twice"
    assert reason_of(lambda: _Returned(made.graph)) == "accumulates_twice"


def test_a_gradient_that_is_not_defined() -> None:
    made = ByHand()
    made.accumulate(0, None, None)
    assert reason_of(made.assembled) == "undefined_gradient"


def test_a_grad_that_is_no_input() -> None:
    made = ByHand()
    made.accumulate(0, made.call(ADD, made.inputs[1], 1), made.inputs[2])
    assert reason_of(made.assembled) == "grad_form"


def test_one_grad_of_two_parameters() -> None:
    made = ByHand()
    made.accumulate(0, made.inputs[2], made.inputs[3])
    made.accumulate(1, made.inputs[2], made.inputs[3])
    assert reason_of(made.assembled) == "grad_is_read"


def test_a_write_to_an_input() -> None:
    made = ByHand()
    made.call(WRITE, made.inputs[0], made.inputs[1])
    assert reason_of(made.assembled) == "changes_a_tensor"


def test_an_input_that_is_given_another_size() -> None:
    made = ByHand()
    made.call(torch.ops.aten.t_.default, made.inputs[0])
    assert reason_of(made.assembled) == "changes_metadata"


def test_a_constant_of_the_graph() -> None:
    made = ByHand()
    made.graph.get_attr("weight")
    assert reason_of(made.assembled) == "constant"


def test_a_call_that_gives_a_sparse_tensor() -> None:
    made = ByHand()
    made.call(torch.ops.aten._to_sparse.default, made.inputs[0])
    assert reason_of(made.assembled) == "tensor_kind"


def test_templates_of_inductor_are_those_of_its_settings() -> None:
    module = fx.GraphModule(nn.Module(), fx.Graph())
    compiler = recognise(module, torch.compile(module))
    backend = Inductor()
    templates = backend.templates(compiler)
    assert backend.templates(compiler) is templates
    with config.patch(fallback_random=not config.fallback_random):
        assert backend.templates(compiler) is not templates
