"""Programs of every kind under torch's engine, ours, and ours with lowering: nothing differs.

Neither what they return, hooks' events in their order among it, nor their errors, the number of
captures, or what is left behind: ``.grad``s with their strides and versions, who shares memory, and
the random state.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from torch._inductor.utils import fresh_cache
from torch.nn import functional
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering.modes import Mode
from tests.engine import conftest
from tests.engine.conftest import Backward, gradient, leaf

PROGRAMS: dict[str, conftest.Program] = {}


def program(run: conftest.Program) -> conftest.Program:
    PROGRAMS[run.__name__] = run
    return run


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))


def grads_of(*modules: nn.Module) -> list[torch.Tensor | None]:
    return [each.grad for module in modules for each in module.parameters()]


# What `backward` is called with


@program
def some_of_the_parameters(backward: Backward) -> Any:
    model = mlp()
    first = list(model[0].parameters())
    for _ in range(2):
        backward(model(torch.randn(3, 4)).sum(), inputs=first)
    backward(model(torch.randn(3, 4)).sum())
    return grads_of(model)


@program
def an_intermediate_result(backward: Backward) -> Any:
    model = mlp()
    hidden = model[0](torch.randn(3, 4))
    backward(model[2](model[1](hidden)).sum(), inputs=[hidden, model[2].weight])
    return hidden.grad, grads_of(model)


@program
def a_graph_that_is_kept(backward: Backward) -> Any:
    model = mlp()
    loss = model(torch.randn(3, 4)).square().sum()
    for keep in (True, True, False):
        backward(loss, retain_graph=keep)
    return grads_of(model)


@program
def two_losses_of_one_graph(backward: Backward) -> Any:
    model = mlp()
    out = model(torch.randn(3, 4))
    backward(out[:, 0].sum(), retain_graph=True)
    backward(out[:, 1].exp().sum())
    return grads_of(model)


@program
def a_gradient_is_given(backward: Backward) -> Any:
    model = mlp()
    for given in (torch.ones(3, 2), torch.randn(2, 3).t(), torch.zeros(1, 1).expand(3, 2)):
        backward(model(torch.randn(3, 4)), given)
    return grads_of(model)


@program
def several_roots(backward: Backward) -> Any:
    model = mlp()
    for _ in range(2):
        one, two = model(torch.randn(3, 4)), model[0](torch.randn(2, 4))
        with backward.enabled():
            torch.autograd.backward([one, two], [torch.ones_like(one), torch.randn(2, 5)])
    return grads_of(model)


@program
def gradients_that_are_returned(backward: Backward) -> Any:
    model, unused = mlp(), leaf(2)
    found = []
    for _ in range(2):
        x = leaf(3, 4)
        wanted = [x, *model.parameters(), unused]
        found.append(backward.grad(model(x).sum(), wanted, allow_unused=True))
        found.append(backward.grad(model(x).sum(), wanted, materialize_grads=True))
    return found, grads_of(model)


@program
def gradients_of_gradients(backward: Backward) -> Any:
    model, x = mlp(), leaf(3, 4)
    (grad,) = torch.autograd.grad(model(x).square().sum(), x, create_graph=True)
    backward(grad.square().sum())
    return x.grad, grads_of(model)


@program
def a_gradient_to_be_differentiated(backward: Backward) -> Any:
    x = leaf(3)
    (grad,) = backward.grad(x.exp().sum(), [x], create_graph=True)
    return grad.detach(), grad.requires_grad


@program
def a_backward_to_be_differentiated(backward: Backward) -> Any:
    x = leaf(3)
    backward(x.exp().sum(), create_graph=True)
    return gradient(x).detach(), gradient(x).requires_grad


# Memory of parameters and of their gradients


@program
def tied_weights(backward: Backward) -> Any:
    embedding, norm, out = nn.Embedding(7, 4), nn.LayerNorm(4), nn.Linear(4, 7, bias=False)
    out.weight = embedding.weight
    for _ in range(3):
        loss = functional.cross_entropy(
            out(norm(embedding(torch.randint(7, (5,))))), torch.randint(7, (5,))
        )
        backward(loss)
    return grads_of(embedding, norm)


@program
def a_layer_that_is_used_twice(backward: Backward) -> Any:
    layer = nn.Linear(4, 4)
    for _ in range(2):
        backward(layer(layer(torch.randn(3, 4)).relu()).sum())
    return grads_of(layer)


@program
def a_transposed_weight(backward: Backward) -> Any:
    weight = leaf(4, 3)
    for _ in range(2):
        backward((torch.randn(2, 4) @ weight @ weight.t()).sin().sum())
    return weight.grad


@program
def parameters_in_one_buffer(backward: Backward) -> Any:
    """As FSDP's first version and flattened optimizers lay them out."""
    flat = torch.randn(20)
    weight, bias = nn.Parameter(flat[:16].view(4, 4)), nn.Parameter(flat[16:])
    for _ in range(3):
        backward(functional.linear(torch.randn(3, 4), weight, bias).square().sum())
    return weight.grad, bias.grad


@program
def gradients_in_one_buffer(backward: Backward) -> Any:
    model = nn.Linear(4, 4)
    flat = torch.zeros(20)
    model.weight.grad, model.bias.grad = flat[:16].view(4, 4), flat[16:]
    for _ in range(2):
        backward(model(torch.randn(3, 4)).square().sum())
    return flat, grads_of(model)


@program
def parameters_of_other_strides(backward: Backward) -> Any:
    conv = nn.Conv2d(2, 4, 3)
    conv.weight.data = conv.weight.data.contiguous(memory_format=torch.channels_last)
    weight = nn.Parameter(torch.randn(4, 3).t())
    for _ in range(2):
        hidden = conv(torch.randn(2, 2, 5, 5)).mean((2, 3))
        backward(functional.linear(hidden, weight).square().sum())
    return weight.grad, grads_of(conv)


@program
def parameters_that_are_frozen_in_turn(backward: Backward) -> Any:
    model = mlp()
    for step in range(3):
        model[0].requires_grad_(step != 1)
        backward(model(torch.randn(3, 4)).sum())
    return grads_of(model)


@program
def data_that_is_replaced(backward: Backward) -> Any:
    model = mlp()
    for _ in range(3):
        backward(model(torch.randn(3, 4)).square().sum())
        for parameter in model.parameters():
            parameter.data = parameter.data - 0.1 * gradient(parameter)
    return grads_of(model)


@program
def a_sparse_embedding(backward: Backward) -> Any:
    embedding = nn.Embedding(5, 3, sparse=True)
    backward(embedding(torch.tensor([0, 2, 2])).square().sum())
    return gradient(embedding.weight).to_dense()


@program
def no_elements(backward: Backward) -> Any:
    model = mlp()
    for rows in (0, 3):
        backward(model(torch.randn(rows, 4)).sum())
    return grads_of(model)


# Views, and writes in place


@program
def views_of_every_kind(backward: Backward) -> Any:
    x = leaf(4, 6)
    for _ in range(2):
        parts = (
            x[1:3, ::2].sum(),
            x.chunk(3, 1)[1].exp().sum(),
            x.unbind(0)[2].square().sum(),
            x.view(2, 12).t()[3].sum(),
            x.as_strided((2, 3), (7, 2), 1).sin().sum(),
            x[:, :1].expand(4, 5).square().sum(),
            x.diagonal().prod(),
            x.unfold(1, 3, 1).square().sum(),
        )
        backward(sum(parts, torch.zeros(())))
    return x.grad


@program
def writes_in_place(backward: Backward) -> Any:
    x = leaf(4, 6)
    for _ in range(2):
        y = x.clone()
        y[1].mul_(2)
        y[:, 2:4].copy_(x[:, :2].sin())
        y.index_put_((torch.tensor([0, 3]),), x[1].exp())
        y.masked_fill_(x > 1, 0.5).relu_().add_(x, alpha=0.1)
        backward(y.square().sum())
    return x.grad


@program
def scattered_and_gathered(backward: Backward) -> Any:
    x, places = leaf(4, 6), torch.randint(4, (4, 6))
    for _ in range(2):
        y = torch.zeros(4, 6).scatter_add(0, places, x) + x.gather(0, places)
        backward((y.index_select(1, torch.tensor([0, 0, 5])).sort(0).values * y[:, :3]).sum())
    return x.grad


# Random numbers, buffers, precision


@program
def dropout(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 2), nn.Dropout(0.1))
    for _ in range(2):
        backward(model(torch.randn(3, 4)).square().sum())
    return grads_of(model), torch.rand(3)


@program
def batch_norm(backward: Backward) -> Any:
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU())
    for training in (True, True, False):
        backward(model.train(training)(torch.randn(2, 2, 4, 4)).square().mean())
    return grads_of(model), list(model.buffers())


@program
def autocast(backward: Backward) -> Any:
    model = mlp()
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(torch.randn(3, 4)).float().square().sum()
        backward(loss)
    return grads_of(model)


@program
def autocast_around_the_backward(backward: Backward) -> Any:
    model = mlp()
    with torch.autocast("cpu", torch.bfloat16):
        backward(model(torch.randn(3, 4)).square().sum())
    return grads_of(model)


@program
def parameters_of_several_dtypes(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 5).double(), nn.Tanh(), nn.Linear(5, 2).bfloat16())
    for _ in range(2):
        hidden = model[1](model[0](torch.randn(3, 4).double())).bfloat16()
        backward(model[2](hidden).float().sum())
    return grads_of(model)


@program
def deterministic_mode_in_turn(backward: Backward) -> Any:
    x = leaf(5)
    try:
        for on in (True, False, True):
            torch.use_deterministic_algorithms(on)
            backward(x[torch.tensor([0, 0, 1])].square().sum())
    finally:
        torch.use_deterministic_algorithms(False)
    return x.grad


# Complex numbers


@program
def complex_parameters(backward: Backward) -> Any:
    weight = leaf(3, 3, dtype=torch.complex64)
    for _ in range(2):
        x = torch.randn(2, 3, dtype=torch.complex64)
        backward((x @ weight).abs().sum() + torch.view_as_real(weight * 2j).square().sum())
    return weight.grad


@program
def a_spectrum(backward: Backward) -> Any:
    x = leaf(16)
    for _ in range(2):
        spectrum = torch.fft.rfft(x * torch.hann_window(16))
        back = torch.fft.irfft(spectrum * torch.randn(9), 16)
        backward(back.square().sum() + spectrum.angle().cos().sum())
    return x.grad


@program
def conjugates_and_parts(backward: Backward) -> Any:
    z = leaf(4, dtype=torch.complex128)
    for _ in range(2):
        backward((z.conj() * z).real.sum() + z.imag.exp().sum() + (z.mH @ z).abs())
    return z.grad


# Checkpoints and packed tensors


@program
def checkpoints(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 4))
    for _ in range(2):
        backward(checkpoint(model, torch.randn(3, 4), use_reentrant=False).square().sum())
    return grads_of(model), torch.rand(2)


@program
def nested_checkpoints(backward: Backward) -> Any:
    inner, outer = mlp(), nn.Linear(2, 3)

    def outside(x: torch.Tensor) -> torch.Tensor:
        return outer(checkpoint(inner, x, use_reentrant=False))

    backward(checkpoint(outside, torch.randn(3, 4), use_reentrant=False).exp().sum())
    return grads_of(inner, outer)


@program
def checkpoints_in_segments(backward: Backward) -> Any:
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(4)))
    for _ in range(2):
        backward(checkpoint_sequential(model, 2, torch.randn(3, 4), use_reentrant=False).sum())
    return grads_of(model)


@program
def a_checkpoint_within_a_function(backward: Backward) -> Any:
    model, x = mlp(), leaf(3, 4)
    backward(checkpoint(model, x, use_reentrant=True).square().sum())
    return x.grad, grads_of(model)


@program
def tensors_packed_as_doubles(backward: Backward) -> Any:
    model = mlp()
    with torch.autograd.graph.saved_tensors_hooks(torch.Tensor.double, torch.Tensor.float):
        loss = model(torch.randn(3, 4)).square().sum()
    backward(loss)
    return grads_of(model)


@program
def tensors_saved_on_the_cpu(backward: Backward) -> Any:
    model = mlp()
    for _ in range(2):
        with torch.autograd.graph.save_on_cpu():
            loss = model(torch.randn(3, 4)).exp().sum()
        backward(loss)
    return grads_of(model)


# Hooks and Functions: what runs when


@program
def hooks_on_tensors(backward: Backward) -> Any:
    events: list[str] = []
    model = mlp()
    for step in range(2):
        hidden = model[0](torch.randn(3, 4))
        hidden.register_hook(lambda grad, step=step: events.append(f"hidden {step}"))
        hidden.register_hook(lambda grad: grad * 2)
        hidden.retain_grad()
        backward(model[2](model[1](hidden)).sum())
    return grads_of(model), hidden.grad, events


@program
def hooks_after_accumulation(backward: Backward) -> Any:
    events: list[str] = []
    model = mlp()
    for name, parameter in model.named_parameters():
        parameter.register_post_accumulate_grad_hook(lambda _, name=name: events.append(name))
    for _ in range(2):
        backward(model(torch.randn(3, 4)).square().sum())
    return grads_of(model), events


@program
def an_optimizer_in_the_backward(backward: Backward) -> Any:
    model = mlp()
    optimizers = {each: torch.optim.SGD([each], lr=0.1) for each in model.parameters()}

    def step(parameter: torch.Tensor) -> None:
        optimizers[parameter].step()  # type: ignore[index]
        parameter.grad = None

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        backward(model(torch.randn(3, 4)).square().mean())
    return [each.detach() for each in model.parameters()], grads_of(model)


@program
def hooks_on_modules(backward: Backward) -> Any:
    events: list[str] = []

    def note(event: str, *_: Any) -> None:
        events.append(event)

    model = mlp()
    for name, module in model.named_children():
        module.register_full_backward_pre_hook(partial(note, f"{name} pre"))
        module.register_full_backward_hook(partial(note, name))
    for _ in range(2):
        backward(model(torch.randn(3, 4)).square().sum())
    return grads_of(model), events


@program
def hooks_on_nodes(backward: Backward) -> Any:
    events: list[str] = []
    x = leaf(3)
    y = x.exp()
    assert y.grad_fn is not None
    y.grad_fn.register_prehook(lambda grads: events.append("pre"))
    y.grad_fn.register_hook(lambda given, taken: (given[0] * 3,))
    backward(y.sum())
    return x.grad, events


@program
def a_hook_for_many_gradients(backward: Backward) -> Any:
    events: list[Any] = []
    model = mlp()
    torch.autograd.graph.register_multi_grad_hook(
        tuple(model.parameters()), lambda grads: events.append([each is not None for each in grads])
    )
    for _ in range(2):
        backward(model(torch.randn(3, 4)).sum())
    return grads_of(model), events


class Scale(torch.autograd.Function):
    """Keeps a number, a tensor and None; one input needs no gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, by: float, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        ctx.by = by
        return x * by * weight

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        x, weight = ctx.saved_tensors
        return grads[0] * ctx.by * weight, None, (grads[0] * x * ctx.by).sum().view(1)


class InPlace(torch.autograd.Function):
    """Writes to its input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0] * 2


class Two(torch.autograd.Function):
    """Two results, of which one may be unused."""

    @staticmethod
    def forward(x: torch.Tensor) -> Any:
        return x.sin(), x.cos()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (x,) = ctx.saved_tensors
        parts = [grads[0] * x.cos() if grads[0] is not None else None]
        parts += [grads[1] * -x.sin() if grads[1] is not None else None]
        return sum(part for part in parts if part is not None)


@program
def functions(backward: Backward) -> Any:
    x, weight = leaf(3), leaf(1)
    for by in (2.0, 3.0):
        y: Any = Scale.apply(x, by, weight)
        backward(y.square().sum())
    return x.grad, weight.grad


@program
def functions_that_write_and_give_two(backward: Backward) -> Any:
    x = leaf(3)
    for which in (0, 1):
        y: Any = Two.apply(InPlace.apply(x.exp()))
        backward(y[which].sum())
    return x.grad


# Tensors of other classes


class Named(torch.Tensor):
    """A subclass without a meaning of its own."""


class Logging(torch.Tensor):
    """Gives torch's functions a meaning, which is torch's own."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})


@program
def inputs_of_a_subclass(backward: Backward) -> Any:
    model = mlp()
    for kind in (Named, Logging):
        loss = model(torch.randn(3, 4).as_subclass(kind)).square().sum()
        backward(loss.as_subclass(torch.Tensor))
    return grads_of(model)


@program
def parameters_of_a_subclass(backward: Backward) -> Any:
    weight = nn.Parameter(torch.randn(3, 3).as_subclass(Named))
    for _ in range(2):
        backward((torch.randn(2, 3) @ weight).as_subclass(torch.Tensor).square().sum())
    return gradient(weight).as_subclass(torch.Tensor)


@program
def a_wrapper_subclass(backward: Backward) -> Any:
    """Whose ``__torch_dispatch__`` gives operators their meaning."""
    weight = leaf(3)
    grads = []
    for _ in range(2):
        backward((weight * TwoTensor(torch.randn(3), torch.randn(3))).square().sum())
        grads.append(gradient(weight))
        weight.grad = None
    return [(type(grad).__name__, grad.a, grad.b) for grad in grads]


@program
def parameters_of_a_wrapper_subclass(backward: Backward) -> Any:
    weight = nn.Parameter(TwoTensor(torch.randn(3, 3), torch.randn(3, 3)))
    for _ in range(2):
        backward((torch.randn(2, 3) @ weight).square().sum())
    grad = gradient(weight)
    return type(grad).__name__, grad.a, grad.b


@program
def buffers_that_are_parameters_elsewhere(backward: Backward) -> Any:
    teacher, student = mlp(), mlp()
    for _ in range(2):
        x = torch.randn(3, 4)
        with torch.no_grad():
            aim = teacher(x)
        backward(functional.mse_loss(student(x), aim))
        for own, other in zip(teacher.parameters(), student.parameters(), strict=True):
            own.data.lerp_(other.data, 0.1)
    return grads_of(teacher, student)


# Sizes


@program
def batches_of_other_sizes(backward: Backward) -> Any:
    model = mlp()
    for rows in (2, 3, 4, 3):
        backward(model(torch.randn(rows, 4)).square().sum())
    return grads_of(model)


@program
def sequences_of_other_lengths(backward: Backward) -> Any:
    embedding, attention = nn.Embedding(9, 4), nn.MultiheadAttention(4, 2, batch_first=True)
    for length in (3, 5, 4):
        x = embedding(torch.randint(9, (2, length)))
        out, _ = attention(x, x, x, need_weights=False)
        backward(out.square().sum())
    return grads_of(embedding, attention)


@program
def packed_sequences(backward: Backward) -> Any:
    lstm = nn.LSTM(3, 4)
    for lengths in ([4, 2], [3, 3]):
        packed = nn.utils.rnn.pack_padded_sequence(torch.randn(4, 2, 3), torch.tensor(lengths))
        backward(lstm(packed)[0].data.square().sum())
    return grads_of(lstm)


@program
def branches_by_turns(backward: Backward) -> Any:
    experts = [mlp() for _ in range(2)]
    for step in range(4):
        backward(experts[step % 2](torch.randn(3, 4)).sum())
    return grads_of(*experts)


# The forward


@program
def a_compiled_forward(backward: Backward) -> Any:
    model = mlp()
    compiled = torch.compile(model, backend="aot_eager")
    for _ in range(2):
        backward(compiled(torch.randn(3, 4)).square().sum())
    return grads_of(model)


@program
def a_compiled_forward_with_dropout(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    compiled = torch.compile(model, backend="aot_eager")
    for _ in range(2):
        backward(compiled(torch.randn(3, 4)).square().sum())
    return grads_of(model), torch.rand(2)


@program
def mapped_over_a_batch(backward: Backward) -> Any:
    weight = leaf(4, 2)
    for _ in range(2):
        out = torch.vmap(lambda row: (row @ weight).sin().sum())(torch.randn(3, 4))
        backward(out.square().sum())
    return weight.grad


@program
def gradients_by_func_within_the_forward(backward: Backward) -> Any:
    weight = leaf(4)
    for _ in range(2):
        slope = torch.func.grad(lambda x: (x * weight).sin().sum())(torch.randn(4))
        backward(slope.square().sum())
    return weight.grad


@program
def a_functional_call(backward: Backward) -> Any:
    model = mlp()
    factor = leaf(1)
    for _ in range(2):
        scaled = {name: each * factor for name, each in model.named_parameters()}
        out = torch.func.functional_call(model, scaled, torch.randn(3, 4))
        backward(out.square().sum())
    return factor.grad, grads_of(model)


@program
def linear_algebra(backward: Backward) -> Any:
    x = leaf(3, 3)
    for _ in range(2):
        positive = x @ x.t() + torch.eye(3)
        parts = (torch.linalg.cholesky(positive).sum(), torch.linalg.eigvalsh(positive).sum())
        backward(sum(parts, torch.logdet(positive)) + torch.linalg.solve(positive, x).sum())
    return x.grad


@program
def reductions_with_ties(backward: Backward) -> Any:
    x = nn.Parameter(torch.tensor([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]]))
    for _ in range(2):
        parts = (x.max(), x.amax(1).sum(), x.median(), x.cumprod(1).sum(), x.logsumexp(0).sum())
        backward(sum(parts, x.norm() + x.std()))
    return x.grad


# Errors


@program
def a_graph_that_was_freed(backward: Backward) -> Any:
    loss = leaf(3).exp().sum()
    backward(loss)
    backward(loss)


@program
def a_saved_tensor_that_was_written_to(backward: Backward) -> Any:
    x = leaf(3)
    y = x.exp()
    loss = y.sum()
    y.detach().mul_(2)
    backward(loss)


@program
def a_root_that_is_no_scalar(backward: Backward) -> Any:
    backward(leaf(3).exp())


@program
def a_root_without_a_graph(backward: Backward) -> Any:
    backward(torch.ones(()))


@program
def a_gradient_of_another_shape(backward: Backward) -> Any:
    backward(leaf(3).exp(), torch.ones(4))


@program
def an_unused_input(backward: Backward) -> Any:
    backward.grad(leaf(3).sum(), [leaf(2)])


@program
def a_hook_that_raises(backward: Backward) -> Any:
    def refuse(_: torch.Tensor) -> None:
        raise ValueError("no")

    x = leaf(3)
    y = x.exp()
    y.register_hook(refuse)
    backward(y.sum())


@program
def an_operator_that_raises_half_way(backward: Backward) -> Any:
    """The matrix is singular only in the second backward's numbers."""
    x = leaf(2, 2)
    y = torch.linalg.inv(x)
    backward(y.sum(), torch.ones(2))


@contextlib.contextmanager
def caught(errors: list[str]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        errors.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def split(result: Any) -> tuple[Any, list[str]]:
    """What a program returned without its texts, and its texts in their order."""
    texts = [each for each in tree_leaves(result) if isinstance(each, str)]
    return tree_map(lambda each: None if isinstance(each, str) else each, result), texts


def cache_of(backend: str, mode: Mode) -> AbstractContextManager[Any]:
    """With lowering inductor compiles once more; it would find what it compiled without."""
    is_own = backend == "inductor" and mode.is_on
    return fresh_cache() if is_own else contextlib.nullcontext()


def compare_all(run: conftest.Program, backend: str) -> conftest.Outcome:
    """Runs a program three times; asserts that nothing tells the runs apart. Returns the last."""
    outcomes: list[conftest.Outcome] = []
    told: list[tuple[list[str], list[str]]] = []  # errors, and texts among what is returned
    for compiler, mode in (
        (conftest.STOCK_COMPILER, Mode.OFF),
        (CaptureCompiler, Mode.OFF),
        (CaptureCompiler, Mode.ON),
    ):
        raised: list[str] = []

        def noting(backward: Backward, raised: list[str] = raised) -> Any:
            with caught(raised):
                return run(backward)

        with cache_of(backend, mode):
            outcome = conftest.run_under(compiler, noting, backend=backend, lowering=mode)
        outcome.result, texts = split(outcome.result)
        outcomes.append(outcome)
        told.append((raised, texts))
    expected, *others = outcomes
    assert told[1:] == told[:1] * 2
    for got in others:
        assert len(got.graphs) == len(expected.graphs), "number of captures"
        conftest.assert_same_bits(got, expected)
    return outcomes[-1]


class WrongShape(torch.autograd.Function):
    """Gives a gradient that is larger than its input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0].repeat(2)


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.ON])
def test_an_error_of_a_functions_gradient(mode: Mode) -> None:
    """Dynamo meets it while it traces and wraps it; where nothing is traced it comes as it is."""

    def run(backward: Backward) -> None:
        result: Any = WrongShape.apply(leaf(3))
        backward(result.sum())

    with pytest.raises(RuntimeError, match="invalid gradient at index 0") as raised:
        conftest.run_under(CaptureCompiler, run, lowering=mode)
    assert (type(raised.value) is RuntimeError) == mode.is_on


def test_a_grad_of_a_wrapper_subclass() -> None:
    """Dynamo of torch 2.13 fails with it ("Expected SubclassSymbolicContext")."""

    def run(backward: Any) -> Any:
        weight = leaf(3)
        for _ in range(2):
            backward((weight * TwoTensor(torch.randn(3), torch.randn(3))).square().sum())
        grad = gradient(weight)
        return grad.a, grad.b

    torch.manual_seed(0)
    expected = run(torch.Tensor.backward)
    outcome = conftest.run_under(CaptureCompiler, run, backend="eager", lowering=Mode.ON)
    assert outcome.ways == ["lowered"] * 2
    torch.testing.assert_close(outcome.result, expected, rtol=0, atol=0)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_with_eager(name: str) -> None:
    outcome = compare_all(PROGRAMS[name], "eager")
    assert set(outcome.ways) <= {"lowered"}


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_with_aot_eager(name: str) -> None:
    compare_all(PROGRAMS[name], "aot_eager")


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PROGRAMS)
def test_with_inductor(name: str) -> None:
    compare_all(PROGRAMS[name], "inductor")
