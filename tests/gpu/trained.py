"""One training under one engine: what it computed, captured and left to eager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch._dynamo.utils import counters

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import modes
from tests.gpu.programs import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.gpu.programs import Training

ENGINES: dict[str, Any] = {
    "torch": torch_engine.AutogradCompilerInstance,
    "ca": CaptureCompiler,
}


@dataclass(frozen=True)
class Outcome:
    """``values`` are the losses, then the gradients and parameters at the end, on the CPU."""

    values: list[torch.Tensor]
    captures: int
    skips: int

    def difference(self, other: Outcome) -> float:
        """Return the largest difference between values of the same place (`difference`)."""
        return difference(self.values, other.values)


def difference(values: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> float:
    """Return the largest difference between tensors of the same place; 0.0 if all bits are equal.

    Infinite where shapes differ, or one value is not a number and the other is.
    """
    if len(values) != len(others):
        return float("inf")
    pairs = zip(values, others, strict=True)
    return max((_difference(one, two) for one, two in pairs), default=0.0)


def _difference(one: torch.Tensor, two: torch.Tensor) -> float:
    if one.shape != two.shape or one.dtype != two.dtype:
        return float("inf")
    if torch.equal(one.isnan(), two.isnan()):
        gaps = (one.double() - two.double()).nan_to_num(0.0, posinf=0.0, neginf=0.0).abs()
        same_infinite = torch.equal(one.isinf(), two.isinf())
        return float(gaps.max()) if same_infinite and gaps.numel() else 0.0
    return float("inf")


def train(
    make: Callable[[str], Training],
    device: str,
    engine: str,
    compile_options: dict[str, Any],
    *,
    lowering: bool = False,
) -> Outcome:
    """Run a training from the same seed with backwards captured by ``engine``.

    `compile_options` are `torch.compile`'s for the captured graphs.
    """
    torch._dynamo.reset()
    counters.clear()
    vars(torch_engine)["AutogradCompilerInstance"] = ENGINES[engine]
    losses: list[torch.Tensor] = []

    def compiled(module: torch.fx.GraphModule) -> Any:
        return torch.compile(module, **compile_options)

    def backward(loss: torch.Tensor) -> None:
        with torch_engine._enable(compiled, dynamic=False):
            loss.backward()

    try:
        torch.manual_seed(0)
        training = make(device)
        for parameter in training.parameters:
            parameter.grad = torch.zeros_like(parameter)
        with modes.switched(modes.Mode.ON if lowering else modes.Mode.OFF):
            for rows in ROWS:
                if compile_options.get("mode") == "reduce-overhead":
                    torch.compiler.cudagraph_mark_step_begin()
                losses.append(training.step(rows, backward).detach().cpu().clone())
        ends = [part for p in training.parameters for part in (p.grad, p) if part is not None]
        values = [*losses, *(value.detach().cpu().clone() for value in ends)]
    finally:
        vars(torch_engine)["AutogradCompilerInstance"] = ENGINES["torch"]
    return Outcome(
        values,
        counters["compiled_autograd"]["captures"],
        counters["inductor"]["cudagraph_skips"],
    )
