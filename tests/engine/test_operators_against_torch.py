"""Built-in operators of every family, captured by both engines.

The graphs are run node by node: what is compared is what the engines build, not what the
compiler makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import nn

from tests.engine.conftest import Backward, Outcome, leaf

Operator = Callable[[torch.Tensor], Any]


def positive_definite(x: torch.Tensor) -> torch.Tensor:
    return x @ x.mT + torch.eye(x.shape[-1]) * 3


MATRIX: dict[str, Operator] = {
    "cat": lambda x: torch.cat([x, x * 2, x[:1]]),
    "split": lambda x: x.split([1, 3])[1],
    "chunk, one part unused": lambda x: x.chunk(2, dim=1)[0],
    "unbind": lambda x: torch.add(*x.unbind()[:2]),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "gather": lambda x: x.gather(1, torch.tensor([[0, 2], [1, 1]])),
    "scatter": lambda x: x.scatter(1, torch.tensor([[0], [2]]), 1.5),
    "scatter_add": lambda x: x.scatter_add(0, torch.zeros(2, 4, dtype=torch.long), x[:2]),
    "index_select": lambda x: x.index_select(0, torch.tensor([1, 1, 3])),
    "index by tensors": lambda x: x[torch.tensor([0, 1]), torch.tensor([2, 2])],
    "index by mask": lambda x: x[x > 0],
    "masked_select": lambda x: x.masked_select(x > 0),
    "masked_fill": lambda x: x.masked_fill(x > 0, -1.0),
    "where": lambda x: torch.where(x > 0, x, x.exp()),
    "take_along_dim": lambda x: x.take_along_dim(x.argsort(1), 1),
    "index_put": lambda x: x.index_put((torch.tensor([0, 0]),), x[1:3], accumulate=True),
    "sort": lambda x: x.sort(dim=1).values,
    "topk": lambda x: x.topk(2).values,
    "kthvalue": lambda x: x.kthvalue(2).values,
    "median": lambda x: x.median(dim=1).values,
    "max of a dimension": lambda x: x.max(dim=0).values,
    "amax": lambda x: x.amax(dim=(0, 1)),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(1),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "prod": lambda x: x.prod(1),
    "var": lambda x: x.var(dim=0, correction=0),
    "std": lambda x: x.std(),
    "norm": lambda x: x.norm(p=3, dim=1),
    "logsumexp": lambda x: x.logsumexp((0, 1)),
    "log_softmax": lambda x: x.log_softmax(-1),
    "clamp by tensors": lambda x: x.clamp(x.mean().detach() - 1, x.mean()),
    "floor and round": lambda x: x.floor() + x.round(),
    "lerp": lambda x: torch.lerp(x, x.exp(), 0.25),
    "addcdiv": lambda x: torch.addcdiv(x, x, x.exp(), value=0.5),
    "atan2": lambda x: torch.atan2(x, x.exp()),
    "hypot and copysign": lambda x: torch.hypot(x, x).copysign(x.detach()),
    "pow of tensors": lambda x: x.exp().pow(x),
    "pow of a number": lambda x: 2.5**x,
    "remainder": lambda x: torch.remainder(x, 0.7),
    "sinc and erfinv": lambda x: torch.sinc(x) + torch.erfinv(x.tanh() * 0.5),
    "lgamma": lambda x: torch.lgamma(x.exp()),
    "roll and flip": lambda x: x.roll((1, 2), (0, 1)).flip(0),
    "rot90 and movedim": lambda x: x.rot90().movedim(0, 1),
    "tril and diagonal": lambda x: x.tril().diagonal(1),
    "repeat and tile": lambda x: x.repeat(2, 1).tile(1, 2),
    "repeat_interleave": lambda x: x.repeat_interleave(2, dim=0),
    "expand": lambda x: x[:, :, None].expand(-1, -1, 3),
    "pad": lambda x: F.pad(x, (1, 2), value=3.0),
    "pad by reflection": lambda x: F.pad(x[None], (1, 2), mode="reflect"),
    "as_strided": lambda x: x.as_strided((2, 2), (4, 1), 1),
    "view as another shape": lambda x: x.view(2, 8).t().reshape(4, 4),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "tensordot": lambda x: torch.tensordot(x, x, dims=2),
    "baddbmm": lambda x: torch.baddbmm(x[None], x[None], x[None], beta=0.5, alpha=2),
    "outer and cross": lambda x: (
        torch.outer(x[0, 1:], x[1]) + torch.linalg.cross(x[:3].t(), x[1:].t()).t()
    ),
    "cdist": lambda x: torch.cdist(x, x[:2]),
    "cholesky": lambda x: torch.linalg.cholesky(positive_definite(x)),
    "solve": lambda x: torch.linalg.solve(positive_definite(x), x),
    "inverse and determinant": lambda x: positive_definite(x).inverse().det(),
    "eigh": lambda x: torch.linalg.eigh(positive_definite(x)).eigenvalues,
    "svdvals": lambda x: torch.linalg.svdvals(x),
    "qr": lambda x: torch.linalg.qr(x).R,
    "matrix_exp": lambda x: torch.matrix_exp(x * 0.1),
    "trace": lambda x: x.trace(),
    "dtype there and back": lambda x: (x.double() * 2).float().half().float(),
    "to_dense of to_sparse": lambda x: x.to_sparse().to_dense(),
    "fft": lambda x: torch.fft.rfft(x).abs(),
    "complex and back": lambda x: torch.view_as_real(torch.complex(x, x) ** 2),
    "polar": lambda x: torch.polar(x.exp(), x).imag,
    "glu": lambda x: F.glu(x),
    "activations": lambda x: F.silu(x) + F.mish(x) + F.elu(x) + F.selu(x) + F.hardswish(x),
    "leaky activations": lambda x: F.leaky_relu(x, 0.3) + F.softplus(x, 2.0) + F.hardtanh(x),
    "threshold": lambda x: F.threshold(x, 0.1, 2.0),
    "dropout that drops nothing": lambda x: F.dropout(x, 0.0),
    "layer norm without weights": lambda x: F.layer_norm(x, (4,)),
    "rms norm": lambda x: F.rms_norm(x, (4,)),
    "losses": lambda x: F.mse_loss(x, x.exp()) + F.l1_loss(x, x * 2) + F.huber_loss(x, x + 3),
    "binary cross entropy": lambda x: F.binary_cross_entropy_with_logits(x, x.sigmoid().detach()),
    "kl divergence": lambda x: F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean"),
    "cosine similarity": lambda x: F.cosine_similarity(x, x.roll(1, 0)),
    "margin losses": lambda x: F.multi_margin_loss(x, torch.arange(4)),
    "embedding_bag": lambda x: F.embedding_bag(
        torch.tensor([0, 1, 3]), x, torch.tensor([0, 2]), mode="mean"
    ),
    "stack of no gradient": lambda x: torch.stack([x, x.detach()]),
    "nan_to_num": lambda x: (x / x).nan_to_num(1.0),
    "to a slice in place": lambda x: x.clone().select_scatter(x[0], 0, 1),
    "slice_scatter": lambda x: x.slice_scatter(x[:2], 0, 1, 3),
    "meshgrid": lambda x: torch.meshgrid(x[0], x[1], indexing="ij")[0],
    "several outputs, all used": lambda x: torch.add(*torch.var_mean(x, dim=0)),
}

IMAGE: dict[str, Operator] = {
    "max pooling with indices": lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
    "average pooling": lambda x: F.avg_pool2d(x, 3, stride=2, padding=1),
    "adaptive pooling": lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    "fractional unpooling": lambda x: F.max_unpool2d(
        *F.max_pool2d(x, 2, return_indices=True), kernel_size=[2, 2]
    ),
    "bilinear interpolation": lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear"),
    "nearest interpolation": lambda x: F.interpolate(x, size=(3, 5)),
    "grid_sample": lambda x: F.grid_sample(x, torch.zeros(2, 3, 3, 2), align_corners=False),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "group norm": lambda x: F.group_norm(x, 2),
    "instance norm": lambda x: F.instance_norm(x),
    "local response norm": lambda x: F.local_response_norm(x, 2),
    "channels last": lambda x: x.to(memory_format=torch.channels_last).relu().contiguous(),
    "im2col": lambda x: F.unfold(x, (2, 2)),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
}

MODULES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "LSTM": (lambda: nn.LSTM(4, 3, num_layers=2, bidirectional=True), (5, 2, 4)),
    "GRU cell": (lambda: nn.GRUCell(4, 3), (2, 4)),
    "transposed convolution": (lambda: nn.ConvTranspose2d(3, 2, 3, stride=2), (1, 3, 4, 4)),
    "grouped dilated convolution": (
        lambda: nn.Conv1d(4, 4, 3, groups=2, dilation=2, padding=1),
        (2, 4, 9),
    ),
    "transformer layer": (
        lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
        (2, 3, 8),
    ),
    "PReLU": (lambda: nn.PReLU(4), (3, 4)),
    "weight norm": (
        lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)),
        (2, 4),
    ),
    "spectral norm": (
        lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)),
        (2, 4),
    ),
    "batch norm that evaluates": (lambda: nn.BatchNorm1d(4).eval(), (3, 4)),
    "bilinear": (lambda: _Twice(nn.Bilinear(4, 4, 2)), (3, 4)),
    "tied weights": (lambda: _Tied(), (3, 4)),
}


class _Twice(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x, x.exp())


class _Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


def scalar(value: torch.Tensor) -> torch.Tensor:
    return value.abs().sum() if value.is_complex() else value.sum()


def check(same: Callable[..., Outcome], operator: Operator, *shape: int) -> None:
    def program(backward: Backward) -> Any:
        x = leaf(*shape)
        for _ in range(2):  # `.grad` undefined, then defined
            backward(scalar(operator(x)))
        return x.grad

    assert len(same(program, backend="none").graphs) == 2


@pytest.mark.parametrize("name", MATRIX)
def test_operators_on_matrices(name: str, same: Callable[..., Outcome]) -> None:
    check(same, MATRIX[name], 4, 4)


@pytest.mark.parametrize("name", IMAGE)
def test_operators_on_images(name: str, same: Callable[..., Outcome]) -> None:
    check(same, IMAGE[name], 2, 4, 6, 6)


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str, same: Callable[..., Outcome]) -> None:
    make, shape = MODULES[name]

    def program(backward: Backward) -> Any:
        module, x = make(), leaf(*shape)
        result = module(x)
        while isinstance(result, tuple):
            result = result[0]
        backward(scalar(result))
        return x.grad, [parameter.grad for parameter in module.parameters()]

    assert same(program, backend="none").graphs


@pytest.mark.parametrize("name", ["sort", "cumprod", "split", "unfold", "index by mask", "pad"])
def test_operators_with_dynamic_sizes(name: str, same: Callable[..., Outcome]) -> None:
    def program(backward: Backward) -> Any:
        grads = []
        for size in (4, 6, 8):
            x = leaf(4, size)
            backward(scalar(MATRIX[name](x)))
            grads.append(x.grad)
        return grads

    assert same(program, backend="none", dynamic=True).graphs


def test_autocast_around_the_forward(same: Callable[..., Outcome]) -> None:
    def program(backward: Backward) -> Any:
        layer, x = nn.Linear(4, 4), leaf(2, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = layer(layer(x)).sum()
        backward(loss)
        return x.grad, layer.weight.grad

    assert same(program, backend="none").graphs


def test_half_precision(same: Callable[..., Outcome]) -> None:
    def program(backward: Backward) -> Any:
        layer = nn.Linear(4, 4).to(torch.bfloat16)
        x = leaf(2, 4, dtype=torch.bfloat16)
        backward(layer(x).float().sum())
        return x.grad, layer.weight.grad

    assert same(program, backend="none").graphs
