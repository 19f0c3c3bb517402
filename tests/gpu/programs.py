"""Small trainings, each with one thing in it that differs on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.gpu.result import LeftOutError

# The rows of the batches: the fourth is short, so that its backward is captured again.
ROWS = (8, 8, 8, 5, 8, 8)

Call = Callable[[torch.Tensor], None]


@dataclass(frozen=True)
class Training:
    """A training of a few steps on ``device``.

    ``step(rows, backward)`` is one of them and returns its loss; ``backward`` is to be called
    for each backward.
    """

    parameters: list[nn.Parameter]
    step: Callable[[int, Call], torch.Tensor]


def model_on(device: str) -> nn.Sequential:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4)).to(device)


def plain(device: str) -> Training:
    model = model_on(device)

    def step(rows: int, backward: Call) -> torch.Tensor:
        loss: torch.Tensor = model(torch.randn(rows, 16, device=device)).square().mean()
        backward(loss)
        return loss

    return Training(list(model.parameters()), step)


def with_optimizer(device: str, make: Callable[[list[nn.Parameter]], Any]) -> Training:
    training = plain(device)
    optimizer = make(training.parameters)

    def step(rows: int, backward: Call) -> torch.Tensor:
        optimizer.zero_grad(set_to_none=False)
        loss = training.step(rows, backward)
        optimizer.step()
        return loss

    return Training(training.parameters, step)


def autocast(device: str, dtype: torch.dtype, *, scaled: bool) -> Training:
    model = model_on(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    # Growing every other step: the scale, a number in the graph or an input, changes.
    scaler = torch.amp.GradScaler(device, enabled=scaled, growth_interval=2)

    def step(rows: int, backward: Call) -> torch.Tensor:
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast(device, dtype=dtype):
            loss: torch.Tensor = model(torch.randn(rows, 16, device=device)).float().square().mean()
        backward(scaler.scale(loss))
        scaler.step(optimizer)
        scaler.update()
        return loss

    return Training(list(model.parameters()), step)


def channels_last(device: str) -> Training:
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3)]
    model = nn.Sequential(*layers).to(device)
    for parameter in model.parameters():
        if parameter.dim() == 4:
            parameter.data = parameter.data.to(memory_format=torch.channels_last)

    def step(rows: int, backward: Call) -> torch.Tensor:
        images = torch.randn(rows, 3, 12, 12, device=device).to(memory_format=torch.channels_last)
        loss: torch.Tensor = model(images).square().mean()
        backward(loss)
        return loss

    return Training(list(model.parameters()), step)


def pinned(device: str) -> Training:
    if device != "cuda":
        raise LeftOutError("memory is pinned for a GPU only")
    model = model_on(device)

    def step(rows: int, backward: Call) -> torch.Tensor:
        host = torch.randn(rows, 16).pin_memory()
        loss: torch.Tensor = model(host.to(device, non_blocking=True)).square().mean()
        backward(loss)
        return loss

    return Training(list(model.parameters()), step)


def side_stream(device: str) -> Training:
    if device != "cuda":
        raise LeftOutError("streams are a GPU's")
    model, stream = model_on(device), torch.cuda.Stream()

    def step(rows: int, backward: Call) -> torch.Tensor:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss: torch.Tensor = model(torch.randn(rows, 16, device=device)).square().mean()
            backward(loss)
        torch.cuda.current_stream().wait_stream(stream)
        return loss

    return Training(list(model.parameters()), step)


def checkpointed(device: str) -> Training:
    first = nn.Sequential(nn.Linear(16, 32), nn.Dropout(0.5), nn.Tanh()).to(device)
    last = nn.Linear(32, 4).to(device)

    def step(rows: int, backward: Call) -> torch.Tensor:
        inner = checkpoint(first, torch.randn(rows, 16, device=device), use_reentrant=False)
        loss: torch.Tensor = last(inner).square().mean()
        backward(loss)
        return loss

    return Training([*first.parameters(), *last.parameters()], step)


def embedding(device: str) -> Training:
    """Gradients that are added up in no order: atomics on a GPU."""
    table = nn.Embedding(10, 16).to(device)

    def step(rows: int, backward: Call) -> torch.Tensor:
        loss = table(torch.randint(10, (rows, 40), device=device)).square().mean()
        backward(loss)
        return loss

    return Training(list(table.parameters()), step)


def compiled_forward(device: str) -> Training:
    model = model_on(device)
    compiled = torch.compile(model, backend="aot_eager", dynamic=True)

    def step(rows: int, backward: Call) -> torch.Tensor:
        loss: torch.Tensor = compiled(torch.randn(rows, 16, device=device)).square().mean()
        backward(loss)
        return loss

    return Training(list(model.parameters()), step)


def hooks(device: str) -> Training:
    training = plain(device)
    for parameter in training.parameters:
        parameter.register_hook(lambda gradient: gradient * 0.5)
        parameter.register_post_accumulate_grad_hook(_clip)
    return training


def _clip(parameter: torch.Tensor) -> None:
    if parameter.grad is not None:
        with torch.no_grad():
            parameter.grad.clamp_(-0.01, 0.01)


PROGRAMS: dict[str, Callable[[str], Training]] = {
    "plain": plain,
    "fused AdamW": partial(
        with_optimizer, make=lambda found: torch.optim.AdamW(found, lr=0.01, fused=True)
    ),
    "foreach SGD": partial(
        with_optimizer,
        make=lambda found: torch.optim.SGD(found, lr=0.1, momentum=0.9, foreach=True),
    ),
    "autocast bf16": partial(autocast, dtype=torch.bfloat16, scaled=False),
    "autocast fp16, GradScaler": partial(autocast, dtype=torch.float16, scaled=True),
    "channels_last": channels_last,
    "pinned, non-blocking": pinned,
    "side stream": side_stream,
    "checkpoint with dropout": checkpointed,
    "embedding": embedding,
    "compiled forward": compiled_forward,
    "hooks": hooks,
}
# Those of a quick run with the backends that take their time; and those on the CPU, where
# `tests/engine` has them all.
FEW = ("plain", "compiled forward")
FEW_ON_CPU = {
    "eager": ("plain", "autocast bf16", "side stream", "checkpoint with dropout"),
    "aot_eager": ("plain",),
}
