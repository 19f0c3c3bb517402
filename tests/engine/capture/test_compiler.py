"""A capture that C++ drives, also one that fails."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.compiled import Compiled, backward_in_a_thread, run_graph
from tests.engine.conftest import STOCK_COMPILER, gradient, use_engine
from tests.engine.test_functions_against_torch import SavesItsResult

pytestmark = pytest.mark.usefixtures("our_engine")


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
