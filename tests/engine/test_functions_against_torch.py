"""Custom `autograd.Function`s and hooks in the less common forms that users write.

What raises must raise the same text under both engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import STOCK_COMPILER, Backward, Outcome, error_under, gradient, leaf

Same = Callable[..., Outcome]
Program = Callable[[Backward], Any]
PROGRAMS: list[Program] = []
RAISING: list[Program] = []


def program(fn: Program) -> Program:
    PROGRAMS.append(fn)
    return fn


def raising(fn: Program) -> Program:
    RAISING.append(fn)
    return fn


# What a Function saves and hands on


class SavesTwice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        first, second = ctx.saved_tensors
        return grad * first.cos() * second.cos()


class SavesNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(None, x, None)
        return x * 3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        nothing, x, _ = ctx.saved_tensors
        return grad * 3 if nothing is None else x


class SavesItsShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.rows = x.shape[0]
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * ctx.rows


class SavesItsResult(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (result,) = ctx.saved_tensors
        return grad * result


class WithSetupContext(torch.autograd.Function):
    @staticmethod
    def forward(x: torch.Tensor, power: int) -> torch.Tensor:
        return x**power

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        x, ctx.power = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return grad * ctx.power * x ** (ctx.power - 1), None


class WritesInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


class GivesAnInteger(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        order = x.argsort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return x[order], order

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        (order,) = ctx.saved_tensors
        return torch.zeros_like(grad).index_copy(0, order, grad)


class GivesNoZeros(torch.autograd.Function):
    """Gradients of unused outputs come as None."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any) -> Any:
        return first * 2 if second is None else second * 3


class LooksAtWhatIsNeeded(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, y = ctx.saved_tensors
        return (
            grad * y if ctx.needs_input_grad[0] else None,
            grad * x if ctx.needs_input_grad[1] else None,
        )


class TakesMuch(torch.autograd.Function):
    """Numbers, None, texts and lists among the arguments."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float, mode: str, rest: Any) -> torch.Tensor:
        return x * factor

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad, None, None, None


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


class GivesAView(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.view(-1)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.view(2, 3)


class GivesNothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> None:
        return None


class GivesASmallerGradient(torch.autograd.Function):
    """The engine reduces and casts it to what the input expects."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.double()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.expand(2, *grad.shape)


def of_one_function(function: Any, *more: Any, use: Callable[[Any], torch.Tensor]) -> Program:
    def run(backward: Backward) -> Any:
        grads = []
        for size in (3, 3, 5):
            x = leaf(size)
            backward(use(function.apply(x * 1, *more)))
            grads.append(x.grad)
        return grads

    run.__name__ = function.__name__
    return run


PROGRAMS += [
    of_one_function(SavesTwice, use=torch.sum),
    of_one_function(SavesNone, use=torch.sum),
    of_one_function(SavesItsShape, use=torch.sum),
    of_one_function(SavesItsResult, use=torch.sum),
    of_one_function(WithSetupContext, 3, use=torch.sum),
    of_one_function(WritesInPlace, use=torch.sum),
    of_one_function(GivesAnInteger, use=lambda got: got[0].sum()),
    of_one_function(GivesNoZeros, use=lambda got: got[0].sum()),
    of_one_function(GivesNoZeros, use=lambda got: got[1].sum()),
    of_one_function(TakesMuch, 2.5, "fast", [1, None], use=torch.sum),
    of_one_function(Once, use=torch.sum),
    of_one_function(GivesASmallerGradient, use=torch.sum),
]


@program
def a_function_that_gives_nothing(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    backward((GivesNothing.apply(x) * y).sum())
    return x.grad, y.grad


@program
def a_function_that_gives_a_view(backward: Backward) -> Any:
    x = leaf(2, 3)
    backward((GivesAView.apply(x) * 2).sum())
    return x.grad


@program
def a_function_that_writes_to_a_view(backward: Backward) -> Any:
    x = leaf(4, 3)
    for row in (1, slice(0, 2), 1):
        base = x * 1
        WritesInPlace.apply(base[row])
        WritesInPlace.apply(base.t()[0])
        backward(base.exp().sum())
    return x.grad


@program
def more_gradients_than_inputs(backward: Backward) -> Any:
    class More(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return grad, grad

    x = leaf(3)
    backward(More.apply(x).sum())
    return x.grad


@program
def only_one_input_of_a_function_needs_a_gradient(backward: Backward) -> Any:
    x, y, fixed = leaf(3), leaf(3), torch.randn(3)
    backward(LooksAtWhatIsNeeded.apply(x, fixed).sum())
    backward(LooksAtWhatIsNeeded.apply(fixed, y).sum())
    backward(LooksAtWhatIsNeeded.apply(x, y).sum())
    return x.grad, y.grad


@program
def a_function_that_is_never_reached(backward: Backward) -> Any:
    class Unreachable(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            raise AssertionError("nobody asked for this gradient")

    x, y = leaf(3), leaf(3)
    (grad,) = backward.grad((Unreachable.apply(x) * y).sum(), inputs=[y])
    backward((Unreachable.apply(x) * y).sum(), inputs=[y])
    return grad, x.grad, y.grad


@program
def two_functions_of_one_name(backward: Backward) -> Any:
    def make(factor: int) -> Any:
        class Times(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * factor

            @staticmethod
            def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
                return grad * factor

        return Times

    first, second, grads = make(2), make(3), []
    for function in (first, second, first):
        x = leaf(3)
        backward(function.apply(x).sum())
        grads.append(x.grad)
    return grads


@program
def a_function_within_a_function(backward: Backward) -> Any:
    x = leaf(3)
    backward(SavesTwice.apply(SavesItsResult.apply(SavesNone.apply(x))).sum())
    return x.grad


@program
def a_function_in_a_compiled_forward(backward: Backward) -> Any:
    forward = torch.compile(lambda x: SavesTwice.apply(x * 2).sum(), backend="aot_eager")
    x = leaf(3)
    with backward.enabled():
        forward(x).backward()
    return x.grad


@program
def an_operator_with_a_registered_backward(backward: Backward) -> Any:
    def setup(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.power = inputs[1]

    with torch.library._scoped_library("ca_powers", "FRAGMENT") as library:
        library.define("power(Tensor x, int power) -> Tensor")
        library.impl("power", lambda x, power: x**power, "CompositeExplicitAutograd")
        library.impl("power", lambda x, power: torch.empty_like(x), "Meta")
        torch.library.register_autograd(
            "ca_powers::power",
            lambda ctx, grad: (grad * ctx.power * ctx.saved_tensors[0], None),
            setup_context=setup,
            lib=library,
        )
        x = leaf(3)
        for power in (2, 2, 3):
            backward(torch.ops.ca_powers.power(x, power).sum())
        return x.grad


# Hooks


@program
def a_hook_that_returns_nothing(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.register_hook(lambda grad: None)
    backward(y.sum())
    return x.grad


@program
def a_hook_that_was_removed(backward: Backward) -> Any:
    x = leaf(3)
    for remove in (False, True):
        y = x * 2
        handle = y.register_hook(lambda grad: grad * 10)
        if remove:
            handle.remove()
        backward(y.sum())
    return x.grad


@program
def a_hook_on_a_tensor_that_was_written_in_place(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.register_hook(lambda grad: grad + 1)
    y.mul_(3)
    y.register_hook(lambda grad: grad * 5)
    backward(y.sum())
    return x.grad


@program
def a_hook_on_a_view_that_was_written_in_place(backward: Backward) -> Any:
    x = leaf(4)
    base = x * 1
    view = base[:2]
    view.register_hook(lambda grad: grad * 2)
    view.exp_()
    base.register_hook(lambda grad: grad + 1)
    backward(base.sum())
    return x.grad


@program
def retained_gradients_and_hooks(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad * 3)
    backward(y.exp().sum())
    return x.grad, y.grad


@program
def retained_gradient_of_a_tensor_written_in_place(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.retain_grad()
    y.mul_(2)
    backward(y.sum())
    return x.grad, y.grad


@program
def hooks_on_one_output_of_several(backward: Backward) -> Any:
    x = leaf(4)
    first, second = x.split(2)
    first.register_hook(lambda grad: grad * 2)
    second.register_hook(lambda grad: grad * 3)
    assert second.grad_fn is not None
    second.grad_fn.register_prehook(lambda grads: tuple(grad + 1 for grad in grads))
    backward((first * second).sum())
    return x.grad


@program
def a_prehook_sees_no_gradient_for_an_unused_output(backward: Backward) -> Any:
    x, seen = leaf(4), []
    first, _ = x.split(2)
    assert first.grad_fn is not None
    first.grad_fn.register_prehook(lambda grads: seen.append([g is None for g in grads]))
    backward(first.sum())
    return x.grad


@program
def hooks_for_several_gradients_at_once(backward: Backward) -> Any:
    x, y, seen = leaf(3), leaf(3), []
    torch.autograd.graph.register_multi_grad_hook(
        (x, y), lambda grads: seen.append(grads[0] + grads[1])
    )
    backward((x * y).sum())
    return x.grad, y.grad, seen


@program
def a_hook_that_writes_in_place(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.register_hook(lambda grad: grad.mul_(4))
    backward(y.exp().sum())
    return x.grad


@program
def an_optimizer_step_in_a_hook(backward: Backward) -> Any:
    layer = nn.Linear(3, 3)

    def step(parameter: torch.Tensor) -> None:
        with torch.no_grad():
            parameter.sub_(0.1 * gradient(parameter))
            parameter.grad = None

    for parameter in layer.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        backward(layer(torch.randn(2, 3)).square().sum())
    return [parameter.detach() for parameter in layer.parameters()]


@program
def a_hook_that_ends_a_gradient(backward: Backward) -> Any:
    x = leaf(3)
    x.register_hook(torch.zeros_like)
    backward(x.exp().sum())
    return x.grad


# Saved tensors


@program
def saved_tensors_kept_on_the_cpu(backward: Backward) -> Any:
    x = leaf(3)
    with torch.autograd.graph.save_on_cpu():
        y = x.exp() * x.sin()
    backward(y.sum())
    return x.grad


@program
def saved_tensors_packed_into_python_objects(backward: Backward) -> Any:
    x = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: ["packed", tensor.numpy(force=True).copy()],
        lambda packed: torch.from_numpy(packed[1]).to(x.device),
    ):
        y = x.exp() * x
    backward(y.sum())
    return x.grad


@program
def nested_saved_tensor_hooks(backward: Backward) -> Any:
    x = leaf(3)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: t + 1, lambda t: t - 1), hooks(lambda t: t * 2, lambda t: t / 2):
        y = (x * x).sum()
    backward(y)
    return x.grad


@program
def a_checkpoint_in_a_checkpoint(backward: Backward) -> Any:
    inner, outer, x = nn.Linear(3, 3), nn.Linear(3, 3), leaf(2, 3)

    def forward(x: torch.Tensor) -> torch.Tensor:
        return outer(checkpoint(lambda t: inner(t).relu(), x, use_reentrant=False)).tanh()

    backward(checkpoint(forward, x, use_reentrant=False).sum())
    return x.grad, inner.weight.grad, outer.weight.grad


@program
def a_checkpoint_with_dropout(backward: Backward) -> Any:
    layer, x = nn.Linear(3, 3), leaf(2, 3)
    backward(
        checkpoint(lambda t: nn.functional.dropout(layer(t)), x, use_reentrant=False).square().sum()
    )
    return x.grad, layer.weight.grad


# Accumulation


@program
def gradients_are_added_in_place(backward: Backward) -> Any:
    layer = nn.Linear(3, 2)
    layer.weight.grad, layer.bias.grad = torch.ones(2, 3), torch.ones(2)
    before = layer.weight.grad
    backward(layer(torch.randn(4, 3)).sum())
    assert layer.weight.grad is before
    return before, layer.bias.grad


@program
def a_gradient_with_other_strides(backward: Backward) -> Any:
    x = leaf(3, 4)
    x.grad = torch.ones(4, 3).t()
    backward((x * x).sum())
    return x.grad


@program
def an_expanded_gradient_is_kept_dense(backward: Backward) -> Any:
    x = leaf(3, 4)
    backward(x.sum())
    assert x.grad is not None
    assert x.grad.is_contiguous()
    return x.grad


@program
def one_leaf_through_many_paths(backward: Backward) -> Any:
    x = leaf(3)
    total = sum((x * number for number in range(1, 6)), torch.zeros(3))
    backward((total * x.sin()).sum())
    return x.grad


@program
def gradients_of_integers_and_constants(backward: Backward) -> Any:
    x, index = leaf(3), torch.tensor([0, 2])
    backward((x[index] * torch.tensor([2, 3]) + 1).sum())
    return x.grad


@program
def materialized_gradients(backward: Backward) -> Any:
    x, unused = leaf(3), leaf(2)
    return backward.grad(x.exp().sum(), [x, unused], materialize_grads=True)


@program
def a_gradient_edge_as_root_and_as_input(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    edge = torch.autograd.graph.get_gradient_edge(y)
    return backward.grad(y.sum(), inputs=[edge])


@program
def frozen_parameters(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1))
    for frozen in (0, 1):
        model[frozen].requires_grad_(False)
        backward(model(torch.randn(2, 3)).sum())
        model[frozen].requires_grad_(True)
    return [parameter.grad for parameter in model.parameters()]


@program
def second_derivatives_by_hand(backward: Backward) -> Any:
    x = leaf(3)
    (first,) = torch.autograd.grad((x.sin() * x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    backward((second * first).sum())
    return x.grad


@program
def the_gradient_of_a_penalty_on_a_gradient(backward: Backward) -> Any:
    layer, x = nn.Linear(3, 1), leaf(2, 3)
    (grad,) = torch.autograd.grad(layer(x).tanh().sum(), x, create_graph=True)
    backward(((grad.norm(dim=1) - 1) ** 2).mean())
    return layer.weight.grad, x.grad


@program
def a_graph_kept_and_used_in_turn(backward: Backward) -> Any:
    x = leaf(1)
    y = (x**2).sum()
    for _ in range(2):
        backward(y, retain_graph=True)
        y.backward(retain_graph=True)
    return x.grad


@program
def another_thread_count(backward: Backward) -> Any:
    x = leaf(3)
    with torch.autograd.set_multithreading_enabled(False):
        backward(x.exp().sum())
    return x.grad


# Errors


@raising
def the_same_graph_twice(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp().sum()
    backward(y)
    backward(y)


@raising
def a_saved_tensor_was_changed(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    loss = y.sum()
    y.mul_(2)
    backward(loss)


@raising
def a_vector_without_a_gradient(backward: Backward) -> Any:
    backward(leaf(3) * 2)


@raising
def an_input_that_is_not_used(backward: Backward) -> Any:
    backward.grad(leaf(3).sum(), [leaf(2)])


@raising
def a_gradient_of_the_wrong_shape(backward: Backward) -> Any:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return torch.ones(7)

    backward(Wrong.apply(leaf(3)).sum())


@raising
def a_hook_that_changes_the_shape(backward: Backward) -> Any:
    x = leaf(3)
    y = x * 2
    y.register_hook(lambda grad: grad[:2])
    backward(y.exp().sum())


@raising
def a_callback_in_a_graph_with_breaks(backward: Backward) -> Any:
    x = leaf(3)

    def hook(grad: torch.Tensor) -> None:
        torch.autograd.Variable._execution_engine.queue_callback(lambda: None)
        torch._dynamo.graph_break()

    x.register_hook(hook)
    backward((x * 2).sum())


@raising
def a_function_that_wants_its_gradients_in_a_box(backward: Backward) -> Any:
    class Boxed(torch.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grads: list[torch.Tensor]) -> Any:
            return grads[0]

    backward(Boxed.apply(leaf(3)).sum())


def _name(run: Program) -> str:
    return run.__name__


@pytest.mark.parametrize("run", PROGRAMS, ids=_name)
def test_engine_equals_torch(run: Program, same: Same) -> None:
    assert same(run).graphs


@pytest.mark.parametrize("run", RAISING, ids=_name)
def test_errors_have_torchs_words(run: Program) -> None:
    expected = error_under(STOCK_COMPILER, run)
    assert expected is not None
    assert error_under(CaptureCompiler, run) == expected
