"""More programs whose lowering nothing tells from the ordinary way: trainings, losses, layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from tests.engine.conftest import Backward, gradient
from tests.engine.lowering.aten_graphs import compare_lowering

Optimizer = Callable[[list[nn.Parameter]], torch.optim.Optimizer]

OPTIMIZERS: dict[str, Optimizer] = {
    name: partial(getattr(torch.optim, name), lr=0.01)
    for name in (
        *("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta"),
        *("ASGD", "Rprop"),
    )
}
OPTIMIZERS["SGD with momentum"] = partial(torch.optim.SGD, lr=0.01, momentum=0.9, nesterov=True)
OPTIMIZERS["fused Adam"] = partial(torch.optim.Adam, lr=0.01, fused=True)
OPTIMIZERS["foreach AdamW"] = partial(torch.optim.AdamW, lr=0.01, foreach=True)


# What a training does to ``.grad`` between a backward and the step, or after it


def nothing(parameters: list[nn.Parameter], step: int) -> None:
    pass


def clipped_by_norm(parameters: list[nn.Parameter], step: int) -> None:
    nn.utils.clip_grad_norm_(parameters, 0.1)


def clipped_by_value(parameters: list[nn.Parameter], step: int) -> None:
    nn.utils.clip_grad_value_(parameters, 0.1)


def replaced(parameters: list[nn.Parameter], step: int) -> None:
    for parameter in parameters:
        parameter.grad = gradient(parameter) * 0.5


def dropped_by_turns(parameters: list[nn.Parameter], step: int) -> None:
    parameters[step % len(parameters)].grad = None


def made_noncontiguous(parameters: list[nn.Parameter], step: int) -> None:
    for parameter in parameters:
        if parameter.dim() == 2:
            parameter.grad = gradient(parameter).t().contiguous().t()


FORMS = (
    *(nothing, clipped_by_norm, clipped_by_value, replaced, dropped_by_turns, made_noncontiguous),
)


def training(
    backward: Backward, make: Optimizer, form: Callable[..., None], to_none: bool, accumulated: int
) -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
    parameters = list(model.parameters())
    optimizer = make(parameters)
    for step in range(3):
        for _ in range(accumulated):
            backward(model(torch.randn(3, 4)).square().mean() / accumulated)
        form(parameters, step)
        optimizer.step()
        optimizer.zero_grad(set_to_none=to_none)
    return [each.detach() for each in parameters], [each.grad for each in parameters]


@pytest.mark.long
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("to_none", [True, False])
@pytest.mark.parametrize("accumulated", [1, 2])
def test_optimizers(name: str, to_none: bool, accumulated: int) -> None:
    run = partial(
        training,
        make=OPTIMIZERS[name],
        form=nothing,
        to_none=to_none,
        accumulated=accumulated,
    )
    assert set(compare_lowering(run, backend="aot_eager").ways) == {"lowered"}


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("to_none", [True, False])
@pytest.mark.parametrize("accumulated", [1, 2])
def test_forms_of_gradients(form: Callable[..., None], to_none: bool, accumulated: int) -> None:
    make = OPTIMIZERS["SGD"]
    run = partial(training, make=make, form=form, to_none=to_none, accumulated=accumulated)
    assert set(compare_lowering(run, backend="aot_eager").ways) <= {"lowered", "guard"}


LOSSES: dict[str, tuple[nn.Module, Callable[[], torch.Tensor]]] = {
    "cross entropy": (nn.CrossEntropyLoss(), lambda: torch.randint(4, (3,))),
    "smoothed": (nn.CrossEntropyLoss(label_smoothing=0.1), lambda: torch.randint(4, (3,))),
    "weighted": (nn.CrossEntropyLoss(torch.rand(4)), lambda: torch.randint(4, (3,))),
    "ignored": (nn.CrossEntropyLoss(ignore_index=1), lambda: torch.tensor([0, 1, 3])),
    "of probabilities": (nn.CrossEntropyLoss(), lambda: torch.rand(3, 4).softmax(-1)),
    "mse": (nn.MSELoss(), lambda: torch.randn(3, 4)),
    "l1": (nn.L1Loss(), lambda: torch.randn(3, 4)),
    "smooth l1": (nn.SmoothL1Loss(beta=0.5), lambda: torch.randn(3, 4)),
    "huber": (nn.HuberLoss(delta=0.5), lambda: torch.randn(3, 4)),
    "bce": (nn.BCEWithLogitsLoss(), lambda: torch.rand(3, 4)),
    "soft margin": (nn.SoftMarginLoss(), lambda: torch.randn(3, 4).sign()),
    "multi margin": (nn.MultiMarginLoss(), lambda: torch.randint(4, (3,))),
    "poisson": (nn.PoissonNLLLoss(), lambda: torch.rand(3, 4)),
    "kl": (nn.KLDivLoss(reduction="batchmean"), lambda: torch.rand(3, 4).softmax(-1)),
    "hinge": (nn.HingeEmbeddingLoss(), lambda: torch.randn(3, 4).sign()),
    "summed": (nn.MSELoss(reduction="sum"), lambda: torch.randn(3, 4)),
}


def twice(backward: Backward, model: nn.Module, loss_of: Callable[[], torch.Tensor]) -> Any:
    for _ in range(2):
        backward(loss_of())
    return [parameter.grad for parameter in model.parameters()]


@pytest.mark.long
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_losses(name: str, backend: str) -> None:
    loss, target = LOSSES[name]

    def run(backward: Backward) -> Any:
        model = nn.Linear(4, 4)
        return twice(backward, model, lambda: loss(model(torch.randn(3, 4)), target()))

    assert set(compare_lowering(run, backend=backend).ways) == {"lowered"}


LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    **{
        name: (getattr(nn, name), (3, 4))
        for name in (
            *("ReLU", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Softplus"),
            *("Hardtanh", "Hardswish", "Hardsigmoid", "Sigmoid", "LogSigmoid", "Softsign"),
            *("Tanhshrink", "Softshrink", "Hardshrink", "PReLU", "ReLU6", "GLU", "RReLU"),
            *("Dropout", "AlphaDropout", "FeatureAlphaDropout", "Dropout1d"),
        )
    },
    "Softmax": (partial(nn.Softmax, -1), (3, 4)),
    "LogSoftmax": (partial(nn.LogSoftmax, -1), (3, 4)),
    "LayerNorm": (partial(nn.LayerNorm, 4), (3, 4)),
    "RMSNorm": (partial(nn.RMSNorm, 4), (3, 4)),
    "BatchNorm1d": (partial(nn.BatchNorm1d, 4), (3, 4)),
    "BatchNorm1d in eval": (lambda: nn.BatchNorm1d(4).eval(), (3, 4)),
    "BatchNorm2d": (partial(nn.BatchNorm2d, 2), (3, 2, 4, 4)),
    "GroupNorm": (partial(nn.GroupNorm, 2, 4), (3, 4)),
    "InstanceNorm2d": (partial(nn.InstanceNorm2d, 2, affine=True), (3, 2, 4, 4)),
    "LocalResponseNorm": (partial(nn.LocalResponseNorm, 2), (3, 2, 4, 4)),
    "Conv1d": (partial(nn.Conv1d, 4, 2, 3, padding=1), (3, 4, 5)),
    "Conv2d": (partial(nn.Conv2d, 2, 4, 3, stride=2, groups=2), (3, 2, 5, 5)),
    "ConvTranspose2d": (partial(nn.ConvTranspose2d, 2, 3, 2), (3, 2, 4, 4)),
    "MaxPool2d": (partial(nn.MaxPool2d, 2), (3, 2, 4, 4)),
    "AvgPool2d": (partial(nn.AvgPool2d, 2), (3, 2, 4, 4)),
    "AdaptiveAvgPool2d": (partial(nn.AdaptiveAvgPool2d, 2), (3, 2, 5, 4)),
    "Upsample": (partial(nn.Upsample, scale_factor=2, mode="bilinear"), (3, 2, 4, 4)),
    "PixelShuffle": (partial(nn.PixelShuffle, 2), (3, 4, 2, 2)),
    "ReflectionPad1d": (partial(nn.ReflectionPad1d, 1), (3, 4)),
    "Flatten": (nn.Flatten, (3, 2, 4)),
    "Bilinear": (lambda: _Both(nn.Bilinear(4, 4, 2)), (3, 4)),
    "attention": (lambda: _Self(nn.MultiheadAttention(4, 2, batch_first=True)), (2, 3, 4)),
    "encoder layer": (
        partial(nn.TransformerEncoderLayer, 4, 2, 8, batch_first=True, dropout=0.1),
        (2, 3, 4),
    ),
    "GRU": (lambda: _First(nn.GRU(4, 3)), (3, 2, 4)),
    "RNN": (lambda: _First(nn.RNN(4, 3)), (3, 2, 4)),
    "weight norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), (3, 4)),
    "spectral norm": (lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4)), (3, 4)),
}


class _First(nn.Module):
    """The first result of a module that has several."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: torch.Tensor) -> Any:
        return self.module(*args)[0]


class _Self(_First):
    """Attention of a sequence to itself."""

    def forward(self, *args: torch.Tensor) -> Any:
        return super().forward(*args * 3)


class _Both(_First):
    """A module of two arguments that are one tensor."""

    def forward(self, *args: torch.Tensor) -> Any:
        return self.module(*args * 2)


@pytest.mark.long
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_layers(name: str, backend: str) -> None:
    make, shape = LAYERS[name]

    def run(backward: Backward) -> Any:
        before, layer = nn.Linear(shape[-1], shape[-1]), make()
        model = nn.Sequential(before, layer)
        return twice(backward, model, lambda: model(torch.randn(shape)).square().mean())

    assert set(compare_lowering(run, backend=backend).ways) == {"lowered"}
