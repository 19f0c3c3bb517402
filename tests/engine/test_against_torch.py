"""Every kind of autograd graph that a user can build, captured by both engines.

Each program returns its gradients; the graphs must be equal up to names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.engine.conftest import Backward, Outcome, gradient, leaf

PROGRAMS: list[Callable[[Backward], Any]] = []


def program(fn: Callable[[Backward], Any]) -> Callable[[Backward], Any]:
    PROGRAMS.append(fn)
    return fn


# Built-in nodes


@program
def linear_layers(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    for _ in range(3):
        backward(model(torch.randn(5, 4)).sum())
    return [parameter.grad for parameter in model.parameters()]


@program
def arithmetic(backward: Backward) -> Any:
    x = leaf(10)
    for op in (torch.add, torch.sub, torch.mul, torch.div):
        backward(op(x, x).sum())
    return x.grad


@program
def numbers_that_travel_as_tensors(backward: Backward) -> Any:
    """The factors: autograd keeps each as a tensor without dimensions, an input like others."""
    x = leaf(5)
    for factor in (2.5, 3.5, 4.5):
        backward((x * factor + 1).pow(2.0).sum())
    return x.grad


@program
def branches_meet(backward: Backward) -> Any:
    x = leaf(6)
    y = x.exp()
    backward((y.sin() + y.cos() * y).sum())
    return x.grad


@program
def convolution_and_batch_norm(backward: Backward) -> Any:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
    backward(model(torch.randn(2, 3, 8, 8)).mean())
    return [parameter.grad for parameter in model.parameters()]


@program
def embedding_attention_norm(backward: Backward) -> Any:
    embedding, norm = nn.Embedding(10, 8), nn.LayerNorm(8)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = norm(embedding(torch.tensor([[1, 2, 3], [3, 4, 5]])))
    out, _ = attention(x, x, x)
    backward(nn.functional.cross_entropy(out.flatten(0, 1), torch.arange(6)))
    return [p.grad for module in (embedding, norm, attention) for p in module.parameters()]


@program
def stack_of_views(backward: Backward) -> Any:
    x = leaf(4, 6)
    backward(torch.stack([x[1], x[2, :], x.t()[:, 0].expand(6)[:6]]).square().sum())
    return x.grad


# What backward() and grad() can be asked


@program
def several_roots(backward: Backward) -> Any:
    x, y = leaf(3), leaf(4)
    with backward.enabled():
        torch.autograd.backward([(x * 2).sum(), y.exp()], [None, torch.ones(4)])
    return x.grad, y.grad


@program
def one_gradient_for_two_roots(backward: Backward) -> Any:
    x, same = leaf(3), torch.ones(3)
    with backward.enabled():
        torch.autograd.backward([x * 2, x * 3], [same, same])
    return x.grad


@program
def chosen_inputs(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    backward((x * y).sum(), inputs=[x])
    return x.grad, y.grad


@program
def chosen_inputs_within_the_graph(backward: Backward) -> Any:
    x = leaf(3)
    grads = []
    for _ in range(3):
        y = x.exp()
        backward((y * y + x).sum(), inputs=[y])
        grads.append(y.grad)
    z = x.sin()
    z.grad = torch.ones(3)
    backward((z * x.exp()).sum(), inputs=[z, x])
    return grads, z.grad, x.grad


@program
def given_gradient(backward: Backward) -> Any:
    x = leaf(3)
    backward(x.exp(), gradient=torch.tensor([1.0, 2.0, 3.0]))
    return x.grad


@program
def grad_of_inputs(backward: Backward) -> Any:
    x, y, unused = leaf(3), leaf(3), leaf(2)
    return backward.grad((x * y.exp()).sum(), [x, y, unused], allow_unused=True)


@program
def grad_of_an_intermediate(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    return backward.grad((y * y).sum(), [y, x])


@program
def retained_graph(backward: Backward) -> Any:
    x = leaf(3)
    loss = x.sin().sum()
    backward(loss, retain_graph=True)
    backward(loss)
    return x.grad


@program
def grad_defined_and_undefined(backward: Backward) -> Any:
    x = leaf(3)
    for step in range(4):
        if step == 2:
            x.grad = None
        backward((x * x).sum())
    return x.grad


@program
def one_tensor_in_two_slots(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    backward((x * y).sum())
    backward((x * x).sum())
    return x.grad, y.grad


@program
def double_backward(backward: Backward) -> Any:
    x = leaf(3)
    (first,) = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)
    backward(first.sum())
    return x.grad


@program
def mixed_dtypes(backward: Backward) -> Any:
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    y = leaf(3)
    backward((x * y).sum())
    return x.grad, y.grad


@program
def broadcast_sum(backward: Backward) -> Any:
    x, y = leaf(3, 1), leaf(1, 4)
    backward((x + y).square().sum())
    return x.grad, y.grad


@program
def sparse_embedding(backward: Backward) -> Any:
    embedding = nn.Embedding(10, 3, sparse=True)
    backward(embedding(torch.tensor([1, 1, 4])).sum())
    return gradient(embedding.weight).to_dense()


# Changing shapes


@program
def changing_shapes(backward: Backward) -> Any:
    grads = []
    for size in (10, 100, 10, 20):
        x = leaf(size, size)
        backward((x * x).sum(dim=0).sum())
        grads.append(x.grad)
    return grads


@program
def slices_with_changing_bounds(backward: Backward) -> Any:
    x = leaf(10)
    for start in (0, 3, 5):
        backward(x[start : start + 2].square().sum())
    return x.grad


def negative_and_zero_sizes(backward: Backward) -> Any:
    x = leaf(4, 5)
    for empty in (0, 1, 2, 0):
        backward((x[:empty].sum() + x.roll(-empty, 0).square().sum()) * 1.0)
    return x.grad


# In-place and views


@program
def in_place_on_a_view(backward: Backward) -> Any:
    base = leaf(4, 4)
    y = base * 1
    y[1].mul_(3.0)
    y[:, 0].exp_()
    backward(y.sum())
    return base.grad


@program
def in_place_with_other_input(backward: Backward) -> Any:
    base, other = leaf(4), leaf(2)
    y = base.clone()
    y[:2].mul_(other)
    backward(y.sum())
    return base.grad, other.grad


# Custom functions


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * ctx.factor * grad, None


class TwoOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> Any:
        return x + y, x - y

    @staticmethod
    def backward(ctx: Any, up: torch.Tensor, down: torch.Tensor) -> Any:
        return up + down, up - down


@program
def custom_function(backward: Backward) -> Any:
    x = leaf(3)
    backward(Scale.apply(Scale.apply(x, 3.0), 2.0).sum())
    return x.grad


@program
def custom_function_with_two_outputs(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    up, _ = TwoOutputs.apply(x, y)
    backward(up.sum())
    return x.grad, y.grad


# Hooks


@program
def tensor_hook(backward: Backward) -> Any:
    x = leaf(3)
    x.register_hook(lambda grad: grad + 10)
    y = x * 2
    y.register_hook(lambda grad: None)
    y.register_hook(lambda grad: grad * 2)
    backward(y.sum())
    return x.grad


@program
def retained_gradients(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    y.retain_grad()
    backward(y.sum())
    return x.grad, y.grad


@program
def node_hooks(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    assert y.grad_fn is not None
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    y.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    y.grad_fn.register_hook(lambda outputs, inputs: (outputs[0] - inputs[0],))
    backward((y * y).sum())
    return x.grad


@program
def hooks_around_accumulation(backward: Backward) -> Any:
    x, seen = leaf(3), []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    accumulate = torch.autograd.graph.get_gradient_edge(x).node
    accumulate.register_prehook(lambda grads: (grads[0] * 3,))
    accumulate.register_hook(lambda outputs, inputs: None)
    backward(x.exp().sum())
    backward(x.exp().sum())
    return x.grad, seen


@program
def saved_tensor_hooks(backward: Backward) -> Any:
    x = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        y = (x.exp() * x).sum()
    backward(y)
    return x.grad


@program
def module_hooks(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))

    def double(module: nn.Module, grad_in: Any, grad_out: Any) -> Any:
        return (grad_in[0] * 2,)

    def one_more(module: nn.Module, grad_out: Any) -> Any:
        return (grad_out[0] + 1,)

    model[0].register_full_backward_hook(double)
    model[1].register_full_backward_pre_hook(one_more)
    x = leaf(2, 3)
    backward(model(x).sum())
    return x.grad, [parameter.grad for parameter in model.parameters()]


# Checkpointing


@program
def checkpoint_without_reentry(backward: Backward) -> Any:
    layer, x = nn.Linear(4, 4), leaf(2, 4)
    backward(checkpoint(lambda t: layer(t).relu(), x, use_reentrant=False).sum())
    return x.grad, layer.weight.grad


@program
def checkpoint_with_reentry(backward: Backward) -> Any:
    layer, x = nn.Linear(4, 4), leaf(2, 4)
    backward(checkpoint(lambda t: layer(t).relu(), x, use_reentrant=True).sum())
    return x.grad, layer.weight.grad


@program
def checkpoint_of_a_custom_function(backward: Backward) -> Any:
    grads = []
    for reentrant in (False, True):
        x = leaf(3)
        for _ in range(2):
            y = checkpoint(lambda t: Scale.apply(t.sin(), 3.0), x, use_reentrant=reentrant)
            backward((y * 2).sum())
        grads.append(x.grad)
    return grads


# Backwards that AOTAutograd compiled


@program
def aot_region(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    compiled = torch.compile(model, backend="aot_eager")
    with backward.enabled():
        for _ in range(3):
            compiled(torch.randn(5, 4)).sum().backward()
    return [parameter.grad for parameter in model.parameters()]


@program
def one_aot_region_twice(backward: Backward) -> Any:
    layer = nn.Linear(4, 4)
    compiled = torch.compile(lambda x: layer(x).relu(), backend="aot_eager")
    x = leaf(3, 4)
    with backward.enabled():
        (compiled(compiled(x)).view(-1) * 2).sum().backward()
    return x.grad, layer.weight.grad


@program
def aot_region_whose_graph_is_kept(backward: Backward) -> Any:
    layer = nn.Linear(4, 4)
    compiled = torch.compile(lambda x: layer(x).tanh(), backend="aot_eager")
    x = leaf(3, 4)
    with backward.enabled():
        loss = compiled(x).exp().sum()
        for keep in (True, True, False):
            loss.backward(retain_graph=keep)
    return x.grad, layer.weight.grad


@program
def dynamic_aot_region(backward: Backward) -> Any:
    layer = nn.Linear(4, 4)
    compiled = torch.compile(lambda x: layer(x).tanh(), backend="aot_eager", dynamic=True)
    grads = []
    with backward.enabled():
        for size in (3, 5, 7):
            x = leaf(size, 4)
            (compiled(x) * x.shape[0]).sum().backward()
            grads.append(x.grad)
    return grads, layer.weight.grad


@program
def aot_region_with_graph_breaks(backward: Backward) -> Any:
    layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    @torch.compile(backend="aot_eager")
    def forward(x: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            x = layer(x).relu()
            torch._dynamo.graph_break()
        return x.sum()

    with backward.enabled():
        forward(torch.randn(2, 4)).backward()
    return [parameter.grad for parameter in layers.parameters()]


@program
def aot_region_with_hooks(backward: Backward) -> Any:
    model, seen = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)), []
    for parameter in model.parameters():
        parameter.register_hook(lambda grad: grad * 2)
        parameter.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum()))
    compiled = torch.compile(model, backend="aot_eager")
    with backward.enabled():
        compiled(torch.randn(3, 4)).sum().backward()
    return [parameter.grad for parameter in model.parameters()], seen


@program
def view_in_aot_backward(backward: Backward) -> Any:
    compiled = torch.compile(lambda x: x.view(-1).sin().view(2, 6), backend="aot_eager")
    x = leaf(3, 4)
    with backward.enabled():
        compiled(x).t().sum().backward()
    return x.grad


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda fn: fn.__name__)
def test_engine_equals_torch(run: Callable[[Backward], Any], same: Callable[..., Outcome]) -> None:
    assert same(run).graphs


@pytest.mark.parametrize(
    "run",
    [
        linear_layers,
        numbers_that_travel_as_tensors,
        changing_shapes,
        slices_with_changing_bounds,
        pytest.param(in_place_on_a_view, marks=pytest.mark.long),
        custom_function,
        tensor_hook,
        pytest.param(aot_region, marks=pytest.mark.long),  # a static one within
        dynamic_aot_region,
    ],
    ids=lambda fn: fn.__name__,
)
def test_engine_equals_torch_with_dynamic_sizes(
    run: Callable[[Backward], Any], same: Callable[..., Outcome]
) -> None:
    assert same(run, dynamic=True).graphs


@pytest.mark.parametrize(
    "run",
    [
        linear_layers,
        custom_function,
        in_place_on_a_view,
        pytest.param(aot_region, marks=pytest.mark.long),
        aot_region_with_hooks,
    ],
    ids=lambda fn: fn.__name__,
)
def test_engine_equals_torch_through_aot(
    run: Callable[[Backward], Any], same: Callable[..., Outcome]
) -> None:
    assert same(run, backend="aot_eager").graphs


def test_negative_and_zero_sizes_are_inputs(same: Callable[..., Outcome]) -> None:
    """What is no size of a tensor reaches the graph as a number of its own."""
    outcome = same(negative_and_zero_sizes, dynamic=True)
    # The first two differ in whether `.grad` is there; the other numbers come with hits.
    assert len(outcome.graphs) == 2
    first, second = outcome.sizes
    assert 0 in first
    assert {-1, 1} <= set(second)


def test_numbers_that_became_tensors_are_no_part_of_the_graph(
    same: Callable[..., Outcome],
) -> None:
    outcome = same(numbers_that_travel_as_tensors)
    assert len(outcome.graphs) == 2  # `.grad` undefined, then defined
    assert outcome.scalars == [[], []]


# Dynamo refuses a leaf whose `.grad` is sparse ("Guard failed on the same frame it was created"),
# whichever engine captured the graph, so these graphs run node by node.


def test_sparse_gradients_are_added(same: Callable[..., Outcome]) -> None:
    def program(backward: Backward) -> Any:
        embedding = nn.Embedding(10, 3, sparse=True)
        for index in ([1, 1, 4], [4, 0, 2], [9, 9, 9]):
            backward(embedding(torch.tensor(index)).exp().sum())
        assert gradient(embedding.weight).is_sparse
        return gradient(embedding.weight).to_dense()

    assert len(same(program, backend="none").graphs) == 2


@pytest.mark.parametrize(
    "steps", [["both"], ["sparse", "dense", "sparse"], ["dense", "sparse", "dense"]], ids=" ".join
)
def test_sparse_and_dense_gradients_of_one_leaf(
    steps: list[str], same: Callable[..., Outcome]
) -> None:
    def program(backward: Backward) -> Any:
        embedding, layouts = nn.Embedding(10, 3, sparse=True), []
        for step in steps:
            sparse = embedding(torch.tensor([1, 1, 4])).exp().sum()
            dense = embedding.weight.square().sum()
            backward({"both": sparse + dense, "sparse": sparse, "dense": dense}[step])
            layouts.append(gradient(embedding.weight).layout)
        assert layouts[-1] is torch.strided
        return embedding.weight.grad

    assert same(program, backend="none").graphs
