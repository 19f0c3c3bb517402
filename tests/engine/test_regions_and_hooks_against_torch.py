"""Compiled regions and hooks together: order of what users see, and regions of odder shapes."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._functorch import config as functorch_config
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import (
    STOCK_COMPILER,
    Backward,
    Outcome,
    error_under,
    gradient,
    leaf,
    run_under,
)

Same = Callable[..., Outcome]
Program = Callable[[Backward], Any]
REGIONS: list[Program] = []
ORDERED: list[Program] = []
RAISING: list[Program] = []


def region_program(fn: Program) -> Program:
    REGIONS.append(fn)
    return fn


def ordered(fn: Program) -> Program:
    """Returns the list of what happened, and must list the same under both engines."""
    ORDERED.append(fn)
    return fn


def raising(fn: Program) -> Program:
    RAISING.append(fn)
    return fn


def compiled(fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return torch.compile(fn, backend="aot_eager", **options)


# Regions


@region_program
def outputs_that_nobody_used(backward: Backward) -> Any:
    region = compiled(lambda x: (x.sin(), x.cos(), x.argsort(), x.exp().detach()))
    x = leaf(3)
    with backward.enabled():
        for index in (0, 1, 0):
            region(x)[index].sum().backward()
    return x.grad


@region_program
def an_output_that_is_a_view_of_an_input(backward: Backward) -> Any:
    region = compiled(lambda x: (x.view(-1), (x * 2).t()))
    x = leaf(2, 3)
    with backward.enabled():
        view, product = region(x)
        (view.sum() + product.exp().sum()).backward()
    return x.grad


@region_program
def a_region_that_writes_its_input(backward: Backward) -> Any:
    def forward(x: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        buffer.mul_(2)
        return (x * buffer).sum()

    region, x, buffer = compiled(forward), leaf(3), torch.ones(3)
    with backward.enabled():
        for _ in range(2):
            region(x, buffer).backward()
    return x.grad, buffer


@region_program
def a_region_between_eager_nodes(backward: Backward) -> Any:
    region, x = compiled(lambda t: t.tanh() * t), leaf(4)
    y = x.exp()
    y.retain_grad()
    with backward.enabled():
        (region(y)[1:] * region(y * 2)[:-1]).sum().backward()
    return x.grad, y.grad


@region_program
def a_region_of_changing_sizes(backward: Backward) -> Any:
    """Sizes travel as symbolic numbers; views of the backward take them apart."""
    layer = nn.Linear(4, 6)
    region = compiled(lambda x: layer(x).view(-1, 3).sum(0).expand(x.shape[0], 3), dynamic=True)
    with backward.enabled():
        for size in (2, 3, 5, 8):
            region(torch.randn(size, 4)).square().sum().backward()
    return layer.weight.grad


@region_program
def a_region_in_half_precision(backward: Backward) -> Any:
    layer, x = nn.Linear(4, 4), leaf(2, 4)

    def forward(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return layer(x).float().sum()

    region = compiled(forward)
    with backward.enabled():
        region(x).backward()
    return x.grad, layer.weight.grad


@region_program
def a_checkpointed_region(backward: Backward) -> Any:
    layer, x = nn.Linear(4, 4), leaf(2, 4)
    region = compiled(lambda t: layer(t).relu())
    with backward.enabled():
        checkpoint(region, x, use_reentrant=False).sum().backward()
    return x.grad, layer.weight.grad


@region_program
def a_selective_checkpoint(backward: Backward) -> Any:
    layer, x = nn.Linear(4, 4), leaf(2, 4)

    def contexts() -> Any:
        return create_selective_checkpoint_contexts([torch.ops.aten.addmm.default])

    result = checkpoint(
        lambda t: layer(t).tanh().exp(), x, use_reentrant=False, context_fn=contexts
    )
    backward(result.sum())
    return x.grad, layer.weight.grad


@region_program
def a_function_that_breaks_the_graph(backward: Backward) -> Any:
    class Breaking(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            torch._dynamo.graph_break()
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            torch._dynamo.graph_break()
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    region = compiled(Breaking.apply)
    x = leaf(3)
    with backward.enabled():
        for _ in range(2):
            (Breaking.apply(x) + region(x)).sum().backward()
    return x.grad


@region_program
def other_leaves_of_one_graph(backward: Backward) -> Any:
    x, y, z = leaf(3), leaf(3), leaf(3)
    for wanted in (x, y, z, x):
        backward((x * y * z).sum(), inputs=[wanted])
    return x.grad, y.grad, z.grad


@region_program
def an_effect_whose_gradient_nobody_wants(backward: Backward) -> Any:
    """What a backward does beside its gradients must not go with dead code."""
    seen = torch.zeros(())

    class Counting(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> None:
            seen.add_(1)

    x, y = leaf(3), leaf(3)
    backward((Counting.apply(x) * y).sum())
    return seen, x.grad, y.grad


@region_program
def a_gradient_that_can_be_differentiated_again(backward: Backward) -> Any:
    x = leaf(3)
    x.grad = torch.ones(3)
    backward(x.pow(3).sum(), create_graph=True)
    first = x.grad
    assert first is not None
    assert first.requires_grad
    x.grad = None
    backward(first.sum())
    return x.grad


def test_random_numbers_of_a_checkpoint_are_drawn_again(same: Same) -> None:
    """The region's backward runs the forward once more, with the generator set back."""

    def program(backward: Backward) -> Any:
        layer = nn.Linear(4, 4)

        def forward(x: torch.Tensor) -> torch.Tensor:
            return checkpoint(
                lambda t: nn.functional.dropout(layer(t), 0.5).square(), x, use_reentrant=False
            ).sum()

        region = compiled(forward, fullgraph=True)
        # A GPU's generator is no input of a captured backward.
        plain_states = functorch_config.patch(graphsafe_rng_functionalization=False)
        with plain_states, backward.enabled():
            region(torch.randn(3, 4)).backward()
        return layer.weight.grad

    (graph,) = same(program, backend="none").graphs
    assert any("rng_state" in row[1] for row in graph)


def test_an_operator_that_writes_in_a_backward(same: Same) -> None:
    """AOTAutograd wraps it in `auto_functionalized`, which comes along."""
    with torch.library._scoped_library("ca_writing", "FRAGMENT") as library:
        library.define("double_(Tensor(a!) x) -> ()")

        def double(x: torch.Tensor) -> None:
            x.mul_(2)

        library.impl("double_", double, "CompositeExplicitAutograd")

        class Doubling(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x.clone()

            @staticmethod
            def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
                grad = grad.clone()
                torch.ops.ca_writing.double_(grad)
                return grad

        def program(backward: Backward) -> Any:
            region, x = compiled(lambda t: Doubling.apply(t).sin().sum()), leaf(3)
            with backward.enabled():
                region(x).backward()
            return x.grad

        (graph,) = same(program, backend="none").graphs
        assert any("auto_functionalized" in row[1] for row in graph)


def test_jagged_tensors(same: Same) -> None:
    def program(backward: Backward) -> Any:
        parts = [torch.randn(2, 3), torch.randn(4, 3)]
        x = torch.nested.nested_tensor(parts, layout=torch.jagged).requires_grad_()
        region = compiled(lambda t: t.sin())
        with backward.enabled():
            region(x).values().sum().backward()
        return gradient(x).values()

    expected = error_under(STOCK_COMPILER, program)
    if expected is None:
        same(program, backend="none")
    else:
        assert error_under(CaptureCompiler, program) == expected


# Order


def noting(events: list[str], what: str) -> Callable[..., None]:
    return lambda *_: events.append(what)


@ordered
def every_hook_around_a_region(backward: Backward) -> Any:
    events: list[str] = []
    layers = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
    nodes = []
    for name, parameter in layers.named_parameters():
        for time in ("first", "second"):
            parameter.register_hook(noting(events, f"{name} tensor {time}"))
            parameter.register_post_accumulate_grad_hook(noting(events, f"{name} done {time}"))
        node = torch.autograd.graph.get_gradient_edge(parameter).node
        nodes.append(node)
        for time in ("first", "second"):
            node.register_prehook(noting(events, f"{name} pre {time}"))
            node.register_hook(noting(events, f"{name} post {time}"))
    region = compiled(layers)
    with backward.enabled():
        hidden = region(torch.ones(2, 3))
        assert hidden.grad_fn is not None
        hidden.grad_fn.register_prehook(noting(events, "region pre"))
        hidden.grad_fn.register_hook(noting(events, "region post"))
        hidden.sum().backward()
    assert len(events) == 4 * 8 + 2
    return events


@ordered
def hooks_of_modules(backward: Backward) -> Any:
    events: list[str] = []
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    for name, module in model.named_children():
        module.register_full_backward_pre_hook(noting(events, f"{name} before"))
        module.register_full_backward_hook(noting(events, f"{name} after"))
        for parameter in module.parameters():
            parameter.register_post_accumulate_grad_hook(noting(events, f"{name} parameter"))
    backward(model(leaf(2, 3)).sum())
    assert len(events) == 3 * 2 + 4
    return events


@ordered
def unpacking_and_hooks(backward: Backward) -> Any:
    events: list[str] = []

    def unpack(packed: tuple[str, torch.Tensor]) -> torch.Tensor:
        events.append(f"unpack {packed[0]}")
        return packed[1]

    x, y = leaf(3), leaf(3)
    for name in ("first", "second"):

        def pack(tensor: torch.Tensor, name: str = name) -> tuple[str, torch.Tensor]:
            return name, tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            x = x * y
        x.register_hook(noting(events, f"tensor {name}"))
        assert x.grad_fn is not None
        x.grad_fn.register_prehook(noting(events, f"pre {name}"))
        x.grad_fn.register_hook(noting(events, f"post {name}"))
    backward(x.sum())
    assert len(events) == 2 * 5
    return events


@ordered
def saved_tensors_are_freed_on_the_way(backward: Backward) -> Any:
    """A leaf's hook at the end sees how many of the saved tensors still live."""
    alive: list[int] = []
    saved: list[weakref.ref[torch.Tensor]] = []

    class Saving(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            kept = x.detach().clone()
            ctx.save_for_backward(kept)
            return x * kept

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (kept,) = ctx.saved_tensors
            saved.append(weakref.ref(kept))
            return grad * kept

    x = leaf(3)
    x.register_hook(lambda _: alive.append(sum(ref() is not None for ref in saved)))
    backward(Saving.apply(Saving.apply(x)).sum())
    return [str(count) for count in alive]


def test_callbacks_come_last() -> None:
    """Dynamo runs them where the graph says, so the graph has to go through it."""

    def program(backward: Backward) -> Any:
        events: list[str] = []

        class Queueing(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
                torch.autograd.Variable._execution_engine.queue_callback(
                    lambda: events.append("callback")
                )
                return grad * 2

        x = leaf(3)
        x.register_post_accumulate_grad_hook(noting(events, "accumulated"))
        backward(Queueing.apply(Queueing.apply(x)).sum())
        assert len(events) == 3
        return events

    theirs = run_under(STOCK_COMPILER, program, fullgraph=True)
    ours = run_under(CaptureCompiler, program, fullgraph=True)
    assert ours.result == theirs.result
    assert ours.graphs == theirs.graphs


# Errors


@raising
def a_region_differentiated_twice(backward: Backward) -> Any:
    region, x = compiled(lambda t: t.sin().sum()), leaf(3)
    with backward.enabled():
        (grad,) = torch.autograd.grad(region(x), x, create_graph=True)
        grad.sum().backward()


@raising
def nan_in_a_parameters_gradient(backward: Backward) -> Any:
    x = torch.zeros(3, requires_grad=True)
    loss = (x.sqrt() * 0).sum()
    with torch.autograd.detect_anomaly():
        backward(loss)


@raising
def nan_in_a_gradient_that_was_there(backward: Backward) -> Any:
    x = leaf(3)
    x.grad = torch.full((3,), float("nan"))
    loss = x.sum()
    with torch.autograd.detect_anomaly():
        backward(loss)


@raising
def an_error_in_a_functions_backward(backward: Backward) -> Any:
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            raise KeyError("no such gradient")

    backward(Failing.apply(leaf(3)).sum())


@raising
def an_error_in_an_unpack_hook(backward: Backward) -> Any:
    def unpack(_: Any) -> torch.Tensor:
        raise OSError("the disk is gone")

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: 1, unpack):
        loss = leaf(3).exp().sum()
    backward(loss)


def _name(run: Program) -> str:
    return run.__name__


@pytest.mark.filterwarnings("ignore:.*create_graph=True:UserWarning", "ignore:Anomaly Detection")
@pytest.mark.parametrize("run", REGIONS, ids=_name)
def test_engine_equals_torch(run: Program, same: Same) -> None:
    assert same(run, backend="none").graphs


@pytest.mark.parametrize("run", ORDERED, ids=_name)
def test_order_is_that_of_torchs_engine(run: Program) -> None:
    theirs = run_under(STOCK_COMPILER, run, backend="none")
    ours = run_under(CaptureCompiler, run, backend="none")
    assert ours.result == theirs.result
    assert ours.graphs == theirs.graphs


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("run", RAISING, ids=_name)
def test_errors_have_torchs_words(run: Program) -> None:
    expected = error_under(STOCK_COMPILER, run)
    assert expected is not None
    assert error_under(CaptureCompiler, run) == expected
