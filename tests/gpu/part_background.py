"""A miss that does not wait for inductor: another process compiles for the device.

Until the compiled graph takes over a backward has the bits of backend ``aot_eager``, from then on
those of inductor, both under torch's own engine. Torch's run comes last and finds what the other
process compiled, under the key that it has for its own: compiled anew, kernels would be chosen by
that moment's times, and sum in another order.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import nn
from torch._dynamo.utils import counters
from torch._inductor.utils import fresh_inductor_cache

import ca_engine
from ca_engine import schema, trace
from tests.gpu.result import LeftOutError
from tests.gpu.trained import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.gpu.result import Result, Settings

Step = tuple[float, list[torch.Tensor]]
Settled = list[dict[str, Any]]
LAYERS = 6
PATIENCE = 90.0  # seconds
AFTER = 20  # steps behind the takeover


class Training:
    """A model whose parameters stay as they are: the same rows have the same gradients."""

    def __init__(self, device: str) -> None:
        torch.manual_seed(0)
        parts: list[nn.Module] = []
        for _ in range(LAYERS):
            parts += [nn.Linear(48, 48), nn.GELU(), nn.LayerNorm(48)]
        self.model = nn.Sequential(*parts).to(device)
        self.rows = torch.randn(32, 48, device=device)
        for parameter in self.model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def step(self) -> Step:
        """Return the seconds of a step, and its gradients."""
        self.model.zero_grad(set_to_none=False)
        begin = perf_counter()
        self.model(self.rows).square().mean().backward()
        if self.rows.is_cuda:
            torch.cuda.synchronize()
        seconds = perf_counter() - begin
        found = [p.grad.cpu() for p in self.model.parameters() if p.grad is not None]
        return seconds, found


def run(settings: Settings, result: Result) -> None:
    if not settings.is_cuda:
        raise LeftOutError("make test-all compares it on the CPU")
    if not result.has_triton("background"):
        return
    training = Training(settings.device)
    training.step()  # what the device sets up once is no backward's
    _, captured = under_torch("aot_eager", training)
    with fresh_inductor_cache():
        waited, _ = under_torch("inductor", training)
    with fresh_inductor_cache():
        steps, settled = in_background(training)
        _, compiled = under_torch("inductor", training)
        misses = counters["inductor"]["fxgraph_cache_miss"]
    for number, background in enumerate(settled):
        result.facts[f"graph {number}"] = str(background)
    is_ready = bool(settled) and settled[-1]["state"] == "ready"
    result.check("the compiled graph took over", is_ready, str(settled))
    result.check("torch finds what the other process compiled", not misses, f"{misses} misses")
    before, after = steps[: -AFTER - 1], steps[-AFTER:]
    wrong = sum(difference(captured, found) > 0 for _, found in before)
    result.check("aot_eager's bits before", not wrong, f"{wrong} of {len(before)} steps differ")
    found = max(difference(compiled, each) for _, each in after)
    result.check("inductor's bits after", not found, f"differs by {found:.3g}")
    result.measured("the longest step", max(each for each, _ in steps), "s", waited)
    result.measured("steps until it took over", len(before), "")


def under_torch(backend: str, training: Training) -> Step:
    """Return the seconds of the step that captures, and the gradients of a later one."""
    ca_engine.clear_cache()
    torch._dynamo.reset()
    counters.clear()
    with torch_engine._enable(torch.compile(backend=backend), dynamic=False):
        seconds, _ = training.step()
        _, found = training.step()
    torch._dynamo.reset()
    return seconds, found


def in_background(training: Training) -> tuple[list[Step], Settled]:
    """Train until the graph took over or never will, and a bit longer."""
    ca_engine.clear_cache()
    compiler: Any = partial(torch.compile, backend="inductor")
    steps = []
    with listening() as settled, ca_engine.enable(compiler, background=True):
        end = perf_counter() + PATIENCE
        while perf_counter() < end and not settled:
            steps.append(training.step())
        steps += [training.step() for _ in range(AFTER)]
    return steps, settled


@contextmanager
def listening() -> Iterator[Settled]:
    """Yield a list that gets what is recorded of graphs that wait no longer."""
    settled: Settled = []
    stock = trace.compact_artifact

    def noting(name: str, payload: Callable[[], Any], **options: Any) -> None:
        if name == schema.LOWERING_RECORD:
            found = payload()
            background = found["background"] or {"state": found["reason"]}
            if background["state"] != "compiling":
                settled.append(background | {"detail": found["detail"]})
        stock(name, payload, **options)

    vars(trace)["compact_artifact"] = noting
    try:
        yield settled
    finally:
        vars(trace)["compact_artifact"] = stock
