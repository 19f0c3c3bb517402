"""Pieces of models that Hypothesis chooses from; each takes and gives a batch of `WIDTH` columns.

``MODULES`` are what Dynamo compiles as a forward; ``EAGER`` are those whose interest is in the
backward that compiled autograd captures: custom Functions, regions, checkpoints, sparse gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

Piece = Callable[[torch.Tensor], torch.Tensor]
WIDTH = 8


class Running(nn.Module):
    """Writes to a buffer in each forward."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.lerp_(x.detach().mean(0), 0.1)
        return x - self.mean


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(torch.tanh(functional.linear(x, self.weight)), self.weight.t())


class Checkpointed(nn.Module):
    def __init__(self, *, reentrant: bool = False) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Dropout(0.3), nn.GELU())
        self.reentrant = reentrant

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = checkpoint(self.inner, x, use_reentrant=self.reentrant)
        return result


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(WIDTH, 2 * WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.glu(self.wide(x))


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, piece: Piece) -> None:
        super().__init__()
        self.piece = piece

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.piece(x)


def written_in_place(x: torch.Tensor) -> torch.Tensor:
    y = x * 1.0
    y[:, ::2].mul_(1.5)
    y.t()[1:].add_(0.1)
    return y


def in_bfloat16(x: torch.Tensor) -> torch.Tensor:
    return (x.bfloat16() * 1.1).exp().float().log1p()


def by_a_permutation(x: torch.Tensor) -> torch.Tensor:
    order = torch.arange(WIDTH - 1, -1, -1)
    return x.index_select(1, order) + x[:, order // 2]


def partly_detached(x: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, dim=1)
    return torch.cat([left * right.detach(), right.sin()], dim=1)


def masked(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, x.expm1()).masked_fill(x.abs() > 4, 0.5)


def in_pieces(x: torch.Tensor) -> torch.Tensor:
    x = x.sin()
    torch._dynamo.graph_break()
    return x * 2


MODULES: dict[str, Callable[[], nn.Module]] = {
    "relu": partial(Of, functional.relu),
    "linear": lambda: nn.Linear(WIDTH, WIDTH),
    "linear without bias": lambda: nn.Linear(WIDTH, WIDTH, bias=False),
    "layer norm": lambda: nn.LayerNorm(WIDTH),
    "batch norm": lambda: nn.BatchNorm1d(WIDTH),
    "running mean": Running,
    "dropout": lambda: nn.Dropout(0.4),
    "tied": Tied,
    "checkpoint": Checkpointed,
    "gated": Gated,
    "gelu": partial(Of, functional.gelu),
    "softmax": partial(Of, lambda x: x.softmax(-1)),
    "matmul": partial(Of, lambda x: x @ (x.t() @ x) / WIDTH),
    "cumsum": partial(Of, lambda x: x.cumsum(0) / (1 + x.shape[0])),
    "amax": partial(Of, lambda x: x + x.amax(dim=1, keepdim=True)),
    "transpose": partial(Of, lambda x: x.reshape(-1, 2, WIDTH // 2).transpose(1, 2).flatten(1)),
    "flip": partial(Of, lambda x: torch.stack([x, x.flip(0)], dim=2).mean(2)),
    "in place": partial(Of, written_in_place),
    "bfloat16": partial(Of, in_bfloat16),
    "permutation": partial(Of, by_a_permutation),
    "detach": partial(Of, partly_detached),
    "mask": partial(Of, masked),
    "graph break": partial(Of, in_pieces),
}
# Those whose second forward would begin from what the first has written.
STATEFUL = {"batch norm", "running mean"}


# Operators whose backward keeps numbers, views, or tensors that C++ treats apart


class Convolution(nn.Module):
    def __init__(self, memory_format: torch.memory_format = torch.contiguous_format) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 2, 3, padding=1).to(memory_format=memory_format)  # type: ignore[call-overload]
        self.memory_format = memory_format

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        images = x.reshape(-1, 2, 2, 2).contiguous(memory_format=self.memory_format)
        result: torch.Tensor = self.conv(images).flatten(1)
        return result


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # No steps at all are an error.
        result: torch.Tensor = self.lstm(x)[0] if len(x) else x * 1.0
        return result


class SparselyEmbedded(nn.Module):
    def __init__(self, *, sparse: bool = True) -> None:
        super().__init__()
        self.table = nn.Embedding(5, WIDTH, sparse=sparse)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = x + self.table(torch.arange(len(x)) % 3)
        return result


class Expanded(nn.Module):
    """A weight that is expanded, and one that is used as a view of its transpose."""

    def __init__(self) -> None:
        super().__init__()
        self.column = nn.Parameter(torch.randn(1, 1))
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH).t())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.column.expand_as(x) + (x @ self.weight)[:, :1].expand_as(x)


class Frozen(nn.Module):
    """One of its two layers takes no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen = nn.Linear(WIDTH, WIDTH).requires_grad_(False)
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.frozen(x) + self.bias
        return result


class Sliced(nn.Module):
    """Two parameters that are slices of one buffer."""

    def __init__(self) -> None:
        super().__init__()
        flat = torch.randn(WIDTH * WIDTH + WIDTH) / WIDTH
        self.weight = nn.Parameter(flat[: WIDTH * WIDTH].view(WIDTH, WIDTH))
        self.bias = nn.Parameter(flat[WIDTH * WIDTH :])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight, self.bias)


class Packed(nn.Module):
    """Saves tensors by hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(torch.Tensor.double, torch.Tensor.float):
            result: torch.Tensor = self.inner(x)
        return result


class Autocast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return self.inner(x).float().tanh()


def attended(x: torch.Tensor) -> torch.Tensor:
    heads = x.view(len(x), 2, WIDTH // 2).transpose(0, 1)
    mixed = functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    return mixed.transpose(0, 1).flatten(1)


def indexed(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y.index_put_((torch.tensor([], dtype=torch.long),), x[:0].exp())
    y[:, torch.tensor([0, 0, 3])] = x[:, :3].sin()
    return y.relu_().add_(x, alpha=0.1)


def of_complex_numbers(x: torch.Tensor, *, conjugated: bool = False) -> torch.Tensor:
    z = torch.view_as_complex(x.reshape(-1, WIDTH // 2, 2).contiguous())
    other = z.conj() if conjugated else z
    return torch.view_as_real(other * z * 1j).flatten(1)


def of_views(x: torch.Tensor) -> torch.Tensor:
    parts = [x.unbind(1)[0], x.as_strided((len(x),), (x.stride(0),), x.storage_offset() + 1)]
    return x + torch.stack(parts, 1).sum(1, keepdim=True) + x.diagonal().prod()


def of_a_double(x: torch.Tensor) -> torch.Tensor:
    return (x.double().sin() * 1.5).float() + x.norm() / (1 + x.numel())


def sorted_and_gathered(x: torch.Tensor) -> torch.Tensor:
    values, places = x.sort(1)
    return values + x.gather(1, places.flip(1)) + x.max(1).values.unsqueeze(1)


def scaled_by_sizes(x: torch.Tensor) -> torch.Tensor:
    """Numbers that change with the batch: as a factor, an exponent, an offset."""
    return (x * len(x)).pow(2 + len(x) % 2) / (1.0 + x.numel()) + len(x)


# Functions


class Scale(torch.autograd.Function):
    """Keeps two tensors, a number and None; one input needs no gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, by: float, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, None, weight)
        ctx.by = by
        return x * by * weight

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        x, _, weight = ctx.saved_tensors
        own = grads[0] * ctx.by * weight if ctx.needs_input_grad[0] else None
        return own, None, (grads[0] * x * ctx.by).sum(0)


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = Scale.apply(x, 0.5, self.weight)
        return result


class InPlace(torch.autograd.Function):
    """Writes to its input, and saves what it gives."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        x.sigmoid_()
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        (y,) = ctx.saved_tensors
        return grads[0] * y * (1 - y)


class Several(torch.autograd.Function):
    """Gives two tensors, a number, None, and a tensor that can't be differentiated."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        signs = x.sign()
        ctx.mark_non_differentiable(signs)
        return x.sin(), x.cos(), 3, None, signs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (x,) = ctx.saved_tensors
        if grads[0] is None and grads[1] is None:
            return None
        result = torch.zeros_like(x)
        if grads[0] is not None:
            result = result + grads[0] * x.cos()
        if grads[1] is not None:
            result = result - grads[1] * x.sin()
        return result


class Stateless(torch.autograd.Function):
    """Saves nothing."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0] * 2


class AsAView(torch.autograd.Function):
    """Gives its input as a view, and the gradient as it came."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0]


class Widely(torch.autograd.Function):
    """Gives an expanded gradient of zero strides."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.shape = x.shape
        return x.sum().view(1, 1)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0].expand(ctx.shape)


class Undefined(torch.autograd.Function):
    """Gives no gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return None


class Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        raise ValueError("no gradient here")


class WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0][:, 1:]


class Once(torch.autograd.Function):
    """Refuses to be differentiated twice."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.square()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return 2 * ctx.saved_tensors[0] * grads[0]


class FromWithin(torch.autograd.Function):
    """Runs another backward in its own."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            own = x.detach().requires_grad_()
            (slope,) = torch.autograd.grad(own.exp().sum(), own)
        return grads[0] * slope


def by(function: Any) -> Piece:
    """A piece that applies ``function`` to a copy of its input."""
    return lambda x: function.apply(x * 1.0)


def wide(x: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = x + Widely.apply(x) / WIDTH
    return result


def first_of_several(x: torch.Tensor) -> torch.Tensor:
    results: Any = Several.apply(x)
    return results[0] * results[4]


def both_of_several(x: torch.Tensor) -> torch.Tensor:
    results: Any = Several.apply(x)
    return results[0] * results[2] + results[1]


# Regions that AOTAutograd compiles


class Region(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.compiled = torch.compile(inner, backend="aot_eager", dynamic=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.compiled(x)
        return result


def region(*names: str) -> Callable[[], nn.Module]:
    """Return a maker of a compiled stack of ``MODULES``."""
    return lambda: Region(nn.Sequential(*(MODULES[name]() for name in names)))


EAGER: dict[str, Callable[[], nn.Module]] = {
    "convolution": Convolution,
    "convolution of channels last": partial(Convolution, torch.channels_last),
    "group norm": lambda: nn.GroupNorm(2, WIDTH),
    "recurrent": Recurrent,
    "embedding": partial(SparselyEmbedded, sparse=False),
    "sparse embedding": SparselyEmbedded,
    "expanded": Expanded,
    "frozen": Frozen,
    "slices of one buffer": Sliced,
    "saved by hooks": Packed,
    "autocast": Autocast,
    "attention": partial(Of, attended),
    "indices": partial(Of, indexed),
    "complex": partial(Of, of_complex_numbers),
    "conjugated": partial(Of, partial(of_complex_numbers, conjugated=True)),
    "views": partial(Of, of_views),
    "double": partial(Of, of_a_double),
    "sorted": partial(Of, sorted_and_gathered),
    "sizes as numbers": partial(Of, scaled_by_sizes),
    "weight norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(WIDTH, WIDTH)),
    "reentrant checkpoint": partial(Checkpointed, reentrant=True),
    "Function": Scaled,
    "Function in place": partial(Of, by(InPlace)),
    "Function, one of several": partial(Of, first_of_several),
    "Function, two of several": partial(Of, both_of_several),
    "Function without state": partial(Of, by(Stateless)),
    "Function of a view": partial(Of, lambda x: AsAView.apply(x)),
    "Function with a wide gradient": partial(Of, wide),
    "Function without gradient": partial(Of, lambda x: x + Undefined.apply(x)),
    "Function that raises": partial(Of, by(Raising)),
    "Function of a wrong shape": partial(Of, by(WrongShape)),
    "Function, once": partial(Of, by(Once)),
    "Function with a backward within": partial(Of, by(FromWithin)),
    "region": region("linear", "gelu"),
    "region with dropout": region("dropout", "linear"),
    "region in place": region("in place", "layer norm"),
    "region of tied weights": region("tied", "batch norm"),
}
