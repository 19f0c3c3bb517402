"""Backend ``eager``, run directly: what happens beside the gradients, and when it is not."""

from __future__ import annotations

from functools import partial
from types import CodeType
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn
from torch._dynamo import convert_frame

import ca_engine
from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import Backward, gradient, run_under
from tests.engine.lowering.aten_graphs import run_as_traced
from tests.engine.lowering.eagerly import backward_of, compile_eager


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that Dynamo compiles; counters count lowered graphs as well."""
    names: list[str] = []
    stock: Any = convert_frame._compile

    def noting(code: CodeType, *args: Any, **kwargs: Any) -> Any:
        names.append(code.co_name)
        return stock(code, *args, **kwargs)

    monkeypatch.setattr(convert_frame, "_compile", noting)
    return names


def test_a_graph_goes_directly_once_lowering_is_on(recorded: Any, compiled: list[str]) -> None:
    (record,) = recorded(lambda: backward_of(nn.Linear(3, 2), lowering=True))
    assert (record["way"], record["backend"], record["reason"]) == ("direct", "eager", None)
    assert compiled == []


def test_the_record_says_why_a_graph_was_not_put_together_from_templates(recorded: Any) -> None:
    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        x.grad = torch.ones(3)
        with ca_engine.enable(partial(torch.compile, backend="aot_eager"), lowering=True):
            (x * x.grad).sum().backward()

    (record,) = recorded(run)
    assert (record["way"], record["reason"]) == ("l1", "grad_is_read")


def test_nothing_is_lowered_unasked(recorded: Any, compiled: list[str]) -> None:
    assert recorded(lambda: backward_of(nn.Linear(3, 2))) == []
    assert compiled == ["forward"]


def test_a_users_backend_sees_the_graph_as_before(recorded: Any) -> None:
    seen = []

    def backend(module: Any, _: Any) -> Any:
        seen.append(module)
        return module

    def compile_own(module: Any) -> Any:
        return torch.compile(module, backend=backend)

    (record,) = recorded(lambda: backward_of(nn.Linear(3, 2), compile_own, lowering=True))
    assert (record["way"], record["reason"]) == ("no", "unknown_backend")
    assert len(seen) == 1


def test_a_hook_stands_in_the_way_of_fullgraph(recorded: Any) -> None:
    x = torch.ones(3, requires_grad=True)

    def double(grad: torch.Tensor) -> torch.Tensor:
        return grad * 2

    def run() -> None:
        x.register_hook(double)
        with ca_engine.enable(
            lambda module: torch.compile(module, backend="eager", fullgraph=True), lowering=True
        ):
            (x * 3).sum().backward()

    (record,) = recorded(run)
    assert (record["way"], record["reason"]) == ("no", "fullgraph")
    assert record["detail"] == double.__qualname__
    assert torch.equal(gradient(x), torch.full((3,), 6.0))


def test_hooks_run_in_eagers_moment() -> None:
    """Dynamo would put off what a hook does to Python objects until the graph has run."""
    x, seen = torch.ones(3, requires_grad=True), []
    y = x * 3
    x.register_hook(lambda grad: seen.append("x"))
    y.register_hook(lambda grad: seen.append("y"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad[0].item()))
    with ca_engine.enable(compile_eager, lowering=True):
        y.sum().backward()
    assert seen == ["y", "x", 3.0]


@torch.library.custom_op("ca_tests::fail_when_run", mutates_args=())
def fail_when_run(grad: torch.Tensor) -> torch.Tensor:
    raise ZeroDivisionError("the backward fails half-way")


@fail_when_run.register_fake
def _(grad: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(grad)


@torch.library.custom_op("ca_tests::fail_in_backward", mutates_args=())
def fail_in_backward(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@fail_in_backward.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


fail_in_backward.register_autograd(lambda ctx, grad: fail_when_run(grad))


@pytest.mark.parametrize("lowering", [False, True])
def test_a_backward_that_fails_half_way_sets_no_grad(lowering: bool) -> None:
    """As with Dynamo, which sets ``.grad`` behind the graph."""
    first, last = nn.Linear(3, 3), nn.Linear(3, 3)
    middle = torch.compile(fail_in_backward, backend="aot_eager")
    with (
        ca_engine.enable(compile_eager, lowering=lowering),
        pytest.raises(ZeroDivisionError, match="half-way"),
    ):
        last(middle(first(torch.ones(2, 3)))).sum().backward()
    assert last.weight.grad is None


def test_a_stance_is_obeyed() -> None:
    model = nn.Linear(3, 2)
    with ca_engine.enable(compile_eager, lowering=True):
        with (
            torch.compiler.set_stance("fail_on_recompile"),
            pytest.raises(Exception, match="fail_on_recompile"),
        ):
            model(torch.ones(2, 3)).sum().backward()
        model(torch.ones(2, 3)).sum().backward()
    assert model.weight.grad is not None


def test_no_dynamo_around_the_backward_looks_into_it(compiled: list[str]) -> None:
    """A backward called from a compiled function: its frames are not the user's to compile."""
    model = nn.Linear(3, 2)

    @torch.compile(backend="eager")
    def step() -> None:
        loss = model(torch.ones(2, 3)).sum()
        torch._dynamo.graph_break()
        loss.backward()

    with ca_engine.enable(compile_eager, lowering=True):
        step()
        compiled.clear()
        model.zero_grad()
        step()
    assert compiled == []
    assert model.weight.grad is not None


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize(
    "product",
    [
        lambda x: x.prod(),
        lambda x: x.prod(1),
        lambda x: x.prod(0, keepdim=True),
        lambda x: x.cumprod(1),
        lambda x: x.cumprod(0),
    ],
)
def test_formulas_that_c_plus_plus_chooses_by_values(product: Any, zeros: int) -> None:
    """What runs until inductor is done has the bits of AOTAutograd's graph, which has no values."""

    def run(backward: Backward) -> Any:
        values = torch.randn(7, 9)
        values[0, :zeros] = 0
        x = values.requires_grad_()
        backward((product(x) * 3).sum())
        return x.grad

    expected = run_under(CaptureCompiler, run, backend="aot_eager").result
    got = run_as_traced(run).result
    torch.testing.assert_close(got, expected, rtol=0, atol=0)


def _final_callbacks(lowering: bool | None) -> list[Any]:
    """What happens in a backward whose hook queues a callback, in order; None: in eager mode."""
    events: list[Any] = []
    weight = torch.ones(3, requires_grad=True)

    def queue(name: str, then: str = "") -> None:
        def callback() -> None:
            events.append((name, torch.is_grad_enabled(), weight.grad is not None))
            if then:
                queue(then)

        torch.autograd.Variable._execution_engine.queue_callback(callback)

    def hook(_: torch.Tensor) -> None:
        queue("first", then="queued by the first")
        with torch.enable_grad():
            inner = torch.ones(2, requires_grad=True) * 3
            inner.register_hook(lambda _: queue("of a backward within"))
            inner.sum().backward()
        events.append("the hook ends")

    weight.register_post_accumulate_grad_hook(lambda _: events.append("accumulated"))
    result = weight * 2
    result.register_hook(hook)
    if lowering is None:
        result.sum().backward()
    else:
        with ca_engine.enable(partial(torch.compile, backend="eager"), lowering=lowering):
            result.sum().backward()
    return [*events, "the end"]


def test_callbacks_that_a_hook_queues_run_as_in_eager_mode(recorded: Any) -> None:
    expected = _final_callbacks(None)
    assert [one[0] for one in expected if isinstance(one, tuple)] == [
        "of a backward within",
        "first",
        "queued by the first",
    ]
    (record,) = recorded(lambda: _final_callbacks(lowering=True))
    assert record["way"] == "direct"
    assert _final_callbacks(lowering=True) == expected


def test_a_callback_that_raises_ends_the_backward() -> None:
    def queue(_: torch.Tensor) -> None:
        def fail() -> None:
            raise KeyError("of the callback")

        torch.autograd.Variable._execution_engine.queue_callback(fail)

    weight = torch.ones(3, requires_grad=True)
    weight.register_hook(queue)
    with ca_engine.enable(partial(torch.compile, backend="eager"), lowering=True):
        engine = torch.autograd.Variable._execution_engine
        with pytest.raises(KeyError, match="of the callback"):
            weight.sum().backward()
        assert torch.autograd.Variable._execution_engine is engine
