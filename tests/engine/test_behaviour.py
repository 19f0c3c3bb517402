"""What the engine does around the graph: order, errors, modes, contexts. Eager is the oracle
where order matters, torch's engine where texts do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx, nn

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.compiled import Compiled, run_graph
from tests.engine.conftest import STOCK_COMPILER, gradient, use_engine

pytestmark = pytest.mark.usefixtures("our_engine")


def test_hooks_run_in_eagers_order() -> None:
    """Hook by hook for each tensor and its node. Across nodes C++ visits siblings in another
    order than eager does, so there torch's engine is the oracle."""

    def program(run: Callable[[torch.Tensor], None]) -> list[str]:
        order: list[str] = []

        def note(what: str) -> Callable[..., None]:
            return lambda *_: order.append(what)

        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
        nodes = []  # an AccumulateGrad node lives only as long as somebody refers to it
        for name, parameter in model.named_parameters():
            parameter.register_hook(note(f"{name} tensor 1"))
            parameter.register_hook(note(f"{name} tensor 2"))
            parameter.register_post_accumulate_grad_hook(note(f"{name} accumulated 1"))
            parameter.register_post_accumulate_grad_hook(note(f"{name} accumulated 2"))
            node = torch.autograd.graph.get_gradient_edge(parameter).node
            nodes.append(node)
            node.register_prehook(note(f"{name} pre"))
            node.register_hook(note(f"{name} post"))
        hidden = model[:2](torch.ones(2, 3))
        hidden.register_hook(note("hidden tensor"))
        assert hidden.grad_fn is not None
        hidden.grad_fn.register_prehook(note("hidden pre"))
        hidden.grad_fn.register_hook(note("hidden post"))
        run(model[2](hidden).sum())
        return order

    def compiled(loss: torch.Tensor) -> None:
        with torch_engine._enable(run_graph):
            loss.backward()

    eager = program(lambda loss: loss.backward())
    ours = program(compiled)
    assert len(eager) == 4 * 6 + 3
    for owner in {event.split()[0] for event in eager}:
        assert of(owner, ours) == of(owner, eager)
    use_engine(STOCK_COMPILER)
    torch._dynamo.reset()
    assert ours == program(compiled)


def of(owner: str, events: list[str]) -> list[str]:
    return [event for event in events if event.startswith(f"{owner} ")]


def test_a_hook_sees_that_there_is_no_gradient() -> None:
    """Torch's engine gives up on this (2.13: "'NoneType' object has no attribute 'op'")."""

    def program(run: Callable[[torch.Tensor], None]) -> tuple[list[Any], torch.Tensor | None]:
        seen: list[Any] = []
        x = torch.ones(4, requires_grad=True)
        first, second = (x * 2).split(2)
        for part in (first, second):
            part.register_hook(lambda grad: seen.append(None if grad is None else grad.tolist()))
        run(first.sum())
        return seen, x.grad

    def compiled(loss: torch.Tensor) -> None:
        with torch_engine._enable(run_graph):
            loss.backward()

    eager, ours = program(lambda loss: loss.backward()), program(compiled)
    assert ours[0] == eager[0] == [[1.0, 1.0], None]
    assert ours[1] is not None
    assert eager[1] is not None
    assert torch.equal(ours[1], eager[1])


def test_many_gradients_at_once() -> None:
    """Torch's engine gives up on tensors of `vmap` (2.13: "not supported by FakeTensorMode")."""
    x = torch.arange(1.0, 4.0, requires_grad=True)
    y = x.exp() * x
    with torch_engine._enable(run_graph):
        (jacobian,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)
    torch.testing.assert_close(jacobian, torch.diag((x.exp() * (x + 1)).detach()))


def test_hooks_around_an_aot_region_run_in_the_order_of_torchs_engine() -> None:
    def order_under(compiler: Any) -> list[str]:
        torch._dynamo.reset()
        use_engine(compiler)
        order: list[str] = []
        layers = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
        for name, parameter in layers.named_parameters():
            parameter.register_hook(lambda grad, name=name: order.append(f"{name} tensor"))
            parameter.register_post_accumulate_grad_hook(
                lambda p, name=name: order.append(f"{name} accumulated")
            )
        compiled = torch.compile(layers, backend="aot_eager")
        with torch_engine._enable(run_graph):
            compiled(torch.ones(2, 3)).sum().backward()
        return order

    ours, theirs = order_under(CaptureCompiler), order_under(STOCK_COMPILER)
    assert len(ours) == 8
    assert ours == theirs


def test_an_exception_in_a_hook_keeps_its_traceback_and_the_next_backward_works() -> None:
    x = torch.ones(3, requires_grad=True)

    def refuse(grad: torch.Tensor) -> None:
        raise ValueError("not today")

    handle = x.register_hook(refuse)
    with torch_engine._enable(run_graph):
        with pytest.raises(ValueError, match="not today") as caught:
            (x * 2).sum().backward()
        assert caught.traceback[-1].name == "refuse"
        handle.remove()
        x.grad = None
        (x * 2).sum().backward()
    assert torch.equal(gradient(x), torch.full((3,), 2.0))


def test_nested_contexts_restore_what_was_before() -> None:
    counts = {"outer": 0, "inner": 0}

    def counting(name: str) -> Callable[[fx.GraphModule], Compiled]:
        def compile_graph(module: fx.GraphModule) -> Compiled:
            counts[name] += 1
            return module

        return compile_graph

    x = torch.ones(3, requires_grad=True)
    with torch_engine._enable(counting("outer")):
        x.sin().sum().backward()
        with torch_engine._enable(counting("inner")):
            x.cos().sum().backward()
        with torch_engine._disable():
            x.tan().sum().backward()
        x.exp().sum().backward()
    x.tanh().sum().backward()
    assert counts == {"outer": 2, "inner": 1}


def test_force_eager_runs_no_capture() -> None:
    captured: list[fx.GraphModule] = []
    x = torch.ones(3, requires_grad=True)
    with torch.compiler.set_stance("force_eager"), torch_engine._enable(captured.append):
        x.exp().sum().backward()
    assert captured == []
    assert x.grad is not None


def test_a_backward_in_another_thread_is_captured_too() -> None:
    captured: list[fx.GraphModule] = []

    def keep(module: fx.GraphModule) -> Compiled:
        captured.append(module)
        return module

    x = torch.ones(3, requires_grad=True)
    with torch_engine._enable(keep):
        thread = threading.Thread(target=lambda: x.exp().sum().backward())
        thread.start()
        thread.join()
    assert len(captured) == 1
    assert x.grad is not None


class _KeepsNothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


class _KeepsItsInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * 2 * x


@pytest.mark.parametrize("function", [_KeepsItsInput, _KeepsNothing])
def test_a_second_backward_through_a_freed_function_is_refused_as_in_eager_mode(
    function: Any,
) -> None:
    """C++ would end in a SystemError, for both; eager mode runs the one that keeps nothing."""
    loss = function.apply(torch.ones(3, requires_grad=True)).sum()
    with torch_engine._enable(run_graph):
        loss.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            loss.backward()
