"""Programs under autocast, each run in eager and compiled: prints what differs and what is said.

One line a case, as JSON: its name, by how much a gradient differs from eager's (relative to the
greatest of that gradient; null where the backward raised, or a gradient has another dtype),
whether it differs, and the hazards of kind "autocast". With the argument ``remedies`` also what is
left once the advice of CA602 is taken, for each case that differs. Other arguments: the engine,
and the cases to run (all without any).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ca_engine import installation, settings

Mode = Callable[[], AbstractContextManager[Any]]
BF16, FP16 = torch.bfloat16, torch.float16


def off() -> AbstractContextManager[Any]:
    return torch.autocast("cpu", enabled=False)


def on(dtype: torch.dtype = BF16, **more: Any) -> Mode:
    return lambda: torch.autocast("cpu", dtype=dtype, **more)


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter, self.router, self.leave = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.part(torch.relu(self.enter(x)))
        result: torch.Tensor = self.leave(hidden)
        return result

    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.router(x.float()))


class Router(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        with off():
            return x * torch.softmax(self.router(x.float()), -1)  # kept


class InBfloat16(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        with on()():
            return torch.tanh(self.router(x)).float()


class InFloat16(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        with on(FP16)():
            return torch.tanh(self.router(x)).float()


class Checkpointed(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = checkpoint(super().part, x, use_reentrant=False)
        return result


class CheckpointedRouter(Router):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = checkpoint(super().part, x, use_reentrant=False)
        return result


class Product(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return x.to(weight.dtype) @ weight

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, weight = ctx.saved_tensors
        grad_x = (grad @ weight.t().to(grad.dtype)).to(x.dtype)
        return grad_x, (x.t().to(grad.dtype) @ grad).to(weight.dtype)


class InFull(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, weight = ctx.saved_tensors
        return grad @ weight.t(), x.t() @ grad


class WithoutCustomBwd(torch.autograd.Function):
    """Its backward is written for full precision, and runs under whatever autocast is on."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, weight = ctx.saved_tensors
        grad = grad.float()
        return grad @ weight.t(), x.t() @ grad  # full


class CustomFunction(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(Product.apply(x, self.router.weight))


class CustomInFull(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(InFull.apply(x.float(), self.router.weight))


class Unwrapped(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(WithoutCustomBwd.apply(x.float(), self.router.weight))


class UnwrappedRouter(Unwrapped):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        with off():
            return super().part(x)


MODELS: tuple[type[Plain], ...] = (
    Plain, Router, InBfloat16, InFloat16, Checkpointed, CheckpointedRouter, CustomFunction,
    CustomInFull, Unwrapped, UnwrappedRouter,
)  # fmt: skip
OPTION = "same_as_forward"  # the default of `torch._functorch.config.backward_pass_autocast`


def as_option(dtype: torch.dtype) -> list[dict[str, Any]]:
    return [{"device_type": "cpu", "dtype": dtype}]


# Forward, backward, option.
MODES: dict[str, tuple[Mode, Mode, object]] = {
    "bf16 outside": (on(), nullcontext, OPTION),
    "bf16 within": (on(), on(), OPTION),
    "fp16 outside": (on(FP16), nullcontext, OPTION),
    "bf16 without cache, outside": (on(cache_enabled=False), nullcontext, OPTION),
    "off outside": (nullcontext, nullcontext, OPTION),
    "off within": (nullcontext, on(), OPTION),
    "bf16 within fp16": (on(), on(FP16), OPTION),
    "off within, as an option": (nullcontext, on(), as_option(BF16)),
    "bf16 within, as an option": (on(), on(), as_option(BF16)),
    "bf16 within fp16, as an option": (on(), on(FP16), as_option(FP16)),
}


# What CA602 advises: where the backward is called, and the option with it.
OUTSIDE = "backward outside"
OFF = 'backward outside, option "off"'


def gradients(
    model: type[Plain],
    forward: Mode,
    backward: Mode,
    *,
    is_compiled: bool,
    option: object = OPTION,
) -> dict[str, torch.Tensor | None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    made = model()
    called: Any = torch.compile(made, backend="aot_eager") if is_compiled else made
    captured: AbstractContextManager[Any] = nullcontext()
    if is_compiled:
        compiler = torch.compile(backend="aot_eager")
        captured = torch._dynamo.compiled_autograd._enable(compiler)
    x = torch.randn(32, 16, requires_grad=True)
    with torch._functorch.config.patch(backward_pass_autocast=option):
        with forward():
            loss = called(x).float().square().mean() * 8
        with captured, backward():
            loss.backward()
    return {"x": x.grad, **{name: one.grad for name, one in made.named_parameters()}}


def difference(
    model: type[Plain], forward: Mode, backward: Mode, option: object = OPTION
) -> float | None:
    """Return by how much the compiled gradients differ from eager's; None if they are no such."""
    truth = gradients(model, forward, backward, is_compiled=False)
    try:
        found = gradients(model, forward, backward, is_compiled=True, option=option)
    except RuntimeError:
        return None  # a gradient of another dtype than its parameter is an error
    greatest = 0.0
    for name, grad in truth.items():
        other = found[name]
        if grad is None and other is None:
            continue  # a bias that a Function leaves out
        if grad is None or other is None or grad.dtype != other.dtype:
            return None
        greatest = max(greatest, float((grad - other).abs().max() / grad.abs().max()))
    return greatest


def remedied(model: type[Plain], forward: Mode) -> dict[str, float | None]:
    """Return what differs from eager with each form of the advice."""
    return {
        OUTSIDE: difference(model, forward, nullcontext),
        OFF: difference(model, forward, nullcontext, "off"),
    }


def cases(chosen: list[str], *, with_remedies: bool) -> Iterator[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    installed = installation._installation
    assert installed is not None
    hazards = installed.recorder.runs.hazards
    report = hazards._report

    def noted(kind: Any, *args: Any, **more: Any) -> None:
        if kind == "autocast":
            lines = [one["code"] for one in more["lines"]]
            said.append({"then": more["then"], "now": more["now"], "lines": lines})
        report(kind, *args, **more)

    hazards._report = noted  # type: ignore[method-assign]
    for model in MODELS:
        for mode, (forward, backward, option) in MODES.items():
            name = f"{model.__name__}, {mode}"
            if chosen and name not in chosen:
                continue
            said.clear()
            found = difference(model, forward, backward, option)
            case: dict[str, Any] = {"case": name}
            case |= {"difference": found, "differs": found != 0.0, "said": [*said]}
            if with_remedies and found != 0.0:
                case["remedies"] = remedied(model, forward)
            yield case


if __name__ == "__main__":
    which: Literal["ca", "torch"] = "torch" if sys.argv[1] == "torch" else "ca"
    installation.install(settings.Settings(engine=which))
    names = [name for name in sys.argv[2:] if name != "remedies"]
    for case in cases(names, with_remedies="remedies" in sys.argv):
        print(json.dumps(case), flush=True)
