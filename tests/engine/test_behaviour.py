"""What the engine does around the graph: order, errors, modes, contexts. Eager is the oracle
where order matters, torch's engine where texts do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx, nn

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import STOCK_COMPILER, gradient, use_engine
from tests.engine.test_functions_against_torch import SavesItsResult

Compiled = Callable[..., Any]


@pytest.fixture(autouse=True)
def _our_engine() -> Iterator[None]:
    use_engine(CaptureCompiler)
    yield
    use_engine(STOCK_COMPILER)


def run_graph(module: fx.GraphModule) -> Compiled:
    """Runs the captured graph as it is, node by node."""
    return module


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


def test_nan_gradients_are_reported_under_anomaly_mode() -> None:
    x = torch.zeros(3, requires_grad=True)
    loss = (x.sqrt() * 0).sum()
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match=r"NaN gradients for parameters: inputs\[\d\]"),
    ):
        loss.backward()
    y = torch.zeros(3, requires_grad=True)
    loss = (y.sqrt() * 0).sum()
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="NaN gradients for output nodes"),
    ):
        torch.autograd.grad(loss, y)


def test_a_gradient_that_is_nan_already_is_refused_under_anomaly_mode() -> None:
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.full((3,), float("nan"))
    with (
        torch_engine._enable(run_graph),
        torch.autograd.detect_anomaly(),
        pytest.raises(AssertionError, match="already having NaN gradient"),
    ):
        x.sum().backward()


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


def test_a_capture_that_fails_leaves_nothing_behind() -> None:
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    x = torch.ones(3, requires_grad=True)
    region = torch.compile(lambda t: t.sin(), backend="aot_eager")
    with torch_engine._enable(run_graph):
        loss = region(x).sum()
        with pytest.raises(RuntimeError, match="does not currently support higher order"):
            torch.autograd.grad(loss, x, create_graph=True)
        assert _get_current_dispatch_mode_stack() == []
        assert torch._guards.CompileContext.try_get() is None
        (x * 2).sum().backward()
    assert torch.equal(gradient(x), torch.full((3,), 2.0))


class GivesUp(CaptureCompiler):
    """At a Function, while what C++ computes itself is being caught."""

    def proxy_call_backward(self, *_: Any) -> Any:
        raise RuntimeError("not this Function")


@pytest.mark.parametrize(
    ("compiler", "change", "error"),
    [
        # C++ finds this out before it makes a compiler object.
        (CaptureCompiler, True, "modified by an inplace operation"),
        (GivesUp, False, "not this Function"),
    ],
)
def test_a_capture_that_fails_at_a_function_leaves_nothing_behind(
    compiler: Any, change: bool, error: str
) -> None:
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    x = torch.ones(3, requires_grad=True)
    use_engine(compiler)
    with torch_engine._enable(run_graph):
        result = SavesItsResult.apply(x)
        loss = result.sum()
        if change:
            result.detach().mul_(2)
        with pytest.raises(RuntimeError, match=error):
            loss.backward()
        assert _get_current_dispatch_mode_stack() == []
        assert torch._guards.CompileContext.try_get() is None
    use_engine(CaptureCompiler)
    with torch_engine._enable(run_graph):
        SavesItsResult.apply(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.ones(3).exp())


@pytest.mark.parametrize("compiler", [CaptureCompiler, STOCK_COMPILER])
def test_a_backward_in_another_thread_during_a_capture_is_refused(compiler: Any) -> None:
    heard: list[str] = []

    def compile_graph(module: fx.GraphModule) -> Compiled:
        if not heard:
            heard.append(backward_in_a_thread())
        return module

    x = torch.ones(3, requires_grad=True)
    use_engine(compiler)
    with torch_engine._enable(compile_graph):
        x.sin().sum().backward()
        assert heard == ["NotImplementedError: Trying to run compiled autograd within another"]
        x.sin().sum().backward()  # and nothing stays locked
    torch.testing.assert_close(x.grad, 2 * torch.ones(3).cos())


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


def backward_in_a_thread() -> str:
    """What became of a backward in a thread of its own, which is over then."""
    heard: list[str] = []

    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        try:
            x.exp().sum().backward()
        except Exception as error:
            heard.append(f"{type(error).__name__}: {error}".partition(" compiled autograd call")[0])
        else:
            assert x.grad is not None
            heard.append("it ran")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    return heard[0]


def test_a_gradient_that_nobody_has_is_no_nan() -> None:
    """Torch's engine gives up on this (2.13: "'NoneType' object has no attribute 'name'")."""
    x, y, unused = (torch.zeros(3, requires_grad=True) for _ in range(3))

    def grads(power: float) -> tuple[torch.Tensor | None, ...]:
        loss = (x.exp() + (y**power) * 0).sum()
        with torch_engine._enable(run_graph), torch.autograd.detect_anomaly():
            return torch.autograd.grad(loss, [unused, x, y], allow_unused=True)

    nothing, of_x, of_y = grads(2.0)
    assert nothing is None
    assert of_x is not None
    assert of_y is not None
    assert (of_x.tolist(), of_y.tolist()) == ([1.0] * 3, [0.0] * 3)
    with pytest.raises(RuntimeError, match=r"NaN gradients for output nodes: [^,]+$"):
        grads(0.5)
    use_engine(STOCK_COMPILER)
    torch._dynamo.reset()
    with pytest.raises(AttributeError):
        grads(2.0)


def test_a_compiler_that_raises_leaves_nothing_behind() -> None:
    def broken(module: fx.GraphModule) -> Compiled:
        raise RuntimeError("no compiler today")

    x = torch.ones(3, requires_grad=True)
    with torch_engine._enable(broken), pytest.raises(RuntimeError, match="no compiler today"):
        (x * 2).sum().backward()
    assert not torch_engine.in_compiled_autograd_region
    with torch_engine._enable(run_graph):
        (x * 3).sum().backward()
    assert torch.equal(gradient(x), torch.full((3,), 3.0))


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


def test_dispatch_modes_of_the_user_see_no_capture() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[str] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(3, requires_grad=True)
    loss = (x * 2).sum()
    with torch_engine._enable(lambda module: lambda *_: [], dynamic=False), Watch():
        loss.backward()
    # The engine itself makes the root gradient.
    assert [name for name in seen if "ones_like" not in name] == []


def test_a_model_on_the_meta_device_is_captured() -> None:
    x = torch.ones(3, requires_grad=True, device="meta")
    with torch_engine._enable(run_graph):
        (x * 2).sum().backward()
    assert gradient(x).device.type == "meta"


def test_captures_are_counted() -> None:
    torch._dynamo.utils.counters.clear()
    x = torch.ones(3, requires_grad=True)
    with torch_engine._enable(run_graph):
        for op in (torch.sin, torch.cos, torch.sin):
            x.grad = None
            op(x).sum().backward()
    assert torch._dynamo.utils.counters["compiled_autograd"]["captures"] == 2
