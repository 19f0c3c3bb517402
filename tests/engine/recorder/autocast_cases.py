"""Programs under autocast, each run in eager and compiled: prints what differs and what is said.

One line a case: its name, whether a gradient differs from eager's, and the hazards of kind
"autocast", as JSON. Arguments: the engine, and the cases to run (all without any).
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


class CustomFunction(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(Product.apply(x, self.router.weight))


class CustomInFull(Plain):
    def part(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(InFull.apply(x.float(), self.router.weight))


MODELS: tuple[type[Plain], ...] = (
    Plain, Router, InBfloat16, InFloat16, Checkpointed, CheckpointedRouter, CustomFunction,
    CustomInFull,
)  # fmt: skip
MODES: dict[str, tuple[Mode, Mode]] = {
    "bf16 outside": (on(), nullcontext),
    "bf16 within": (on(), on()),
    "fp16 outside": (on(FP16), nullcontext),
    "bf16 without cache, outside": (on(cache_enabled=False), nullcontext),
    "off outside": (nullcontext, nullcontext),
    "off within": (nullcontext, on()),
    "bf16 within fp16": (on(), on(FP16)),
}


def gradients(
    model: type[Plain], forward: Mode, backward: Mode, *, is_compiled: bool
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
    with forward():
        loss = called(x).float().square().mean() * 8
    with captured, backward():
        loss.backward()
    return {"x": x.grad, **{name: one.grad for name, one in made.named_parameters()}}


def differ(one: dict[str, torch.Tensor | None], other: dict[str, torch.Tensor | None]) -> bool:
    for name, grad in one.items():
        found = other[name]
        if grad is None or found is None:
            if grad is not found:
                return True
        elif grad.dtype != found.dtype or not torch.equal(grad, found):
            return True
    return False


def cases(chosen: list[str]) -> Iterator[dict[str, Any]]:
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
        for mode, (forward, backward) in MODES.items():
            name = f"{model.__name__}, {mode}"
            if chosen and name not in chosen:
                continue
            truth = gradients(model, forward, backward, is_compiled=False)
            said.clear()
            try:
                differs = differ(truth, gradients(model, forward, backward, is_compiled=True))
            except RuntimeError:
                differs = True  # a gradient of another dtype than its parameter is an error
            yield {"case": name, "differs": differs, "said": list(said)}


if __name__ == "__main__":
    engine: Literal["ca", "torch"] = "torch" if sys.argv[1] == "torch" else "ca"
    installation.install(settings.Settings(engine=engine))
    for case in cases(sys.argv[2:]):
        print(json.dumps(case), flush=True)
