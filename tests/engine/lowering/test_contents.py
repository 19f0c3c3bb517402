"""What a graph holds that bears on its lowering."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import pytest
import torch._dynamo.compiled_autograd as torch_engine

from ca_engine.compat import graph_calls
from ca_engine.lowering.contents import look_through
from tests.engine.lowering.by_hand import ByHand

pytestmark = pytest.mark.usefixtures("accumulation_is_bound")


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
