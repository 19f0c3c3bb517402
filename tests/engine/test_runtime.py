"""What runs at every backward of a captured graph."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.compiled import Compiled, backward_in_a_thread
from tests.engine.conftest import STOCK_COMPILER, use_engine

pytestmark = pytest.mark.usefixtures("our_engine")


@pytest.mark.parametrize("compiler", [CaptureCompiler, STOCK_COMPILER])
def test_a_backward_in_another_thread_during_a_compiled_one_runs_in_eager(compiler: Any) -> None:
    heard: list[str] = []
    captured: list[fx.GraphModule] = []

    def compile_graph(module: fx.GraphModule) -> Compiled:
        captured.append(module)
        return module

    x = torch.ones(3, requires_grad=True)
    handle = x.register_hook(lambda _: heard.append(backward_in_a_thread()))
    use_engine(compiler)
    with torch_engine._enable(compile_graph):
        x.sin().sum().backward()
        assert (heard, len(captured)) == (["it ran"], 1)
        handle.remove()
        assert backward_in_a_thread() == "it ran"
    assert len(captured) == 2


def test_final_callbacks_run_once_after_the_backward() -> None:
    calls: list[bool] = []
    x = torch.ones(3, requires_grad=True)

    def queue(grad: torch.Tensor) -> None:
        torch.autograd.Variable._execution_engine.queue_callback(
            lambda: calls.append(x.grad is not None)
        )

    y = x * 2
    y.register_hook(queue)
    with torch_engine._enable(partial(torch.compile, backend="eager", fullgraph=True)):
        y.sum().backward()
    assert calls == [True]
