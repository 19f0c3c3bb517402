"""A whole recompile by phase, as the recorder sees it: both engines, each backend.

Each has inductor's caches to itself, so that it compiles.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import nn
from torch._inductor.utils import fresh_inductor_cache

import ca_engine
import ca_reports
from ca_reports.facts.costs import Costs

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings


def run(settings: Settings, result: Result) -> None:
    backends = ["eager"] if settings.is_small else ["eager", "aot_eager", "inductor"]
    if "inductor" in backends and not result.has_triton("inductor"):
        backends.remove("inductor")
    layers = 4 if settings.is_small else 48
    recapture(settings.device, "torch", "eager", 1)  # what is imported once is nobody's cost
    for backend in backends:
        ours, theirs = (
            recapture(settings.device, engine, backend, layers) for engine in ("ca", "torch")
        )
        for phase in ours:
            name = f"recompile, {layers} layers, {backend}: {phase}"
            result.measured(name, ours[phase], "s", theirs.get(phase))
        name = f"recompile, {layers} layers, {backend}, lowered"
        if backend == "inductor":
            result.leave_out(name, "a graph that takes sizes reaches it by Dynamo on a GPU")
            continue
        lowered = recapture(settings.device, "ca", backend, layers, lowering=True)["all"]
        result.measured(name, lowered, "s", theirs["all"])


def recapture(
    device: str,
    engine: Literal["ca", "torch"],
    backend: str,
    layers: int,
    *,
    lowering: bool = False,
) -> dict[str, float]:
    """Seconds that a backward of another shape cost, by phase, and ``all`` of them."""
    torch._dynamo.reset()
    parts: list[nn.Module] = []
    for _ in range(layers):
        parts += [nn.Linear(16, 16), nn.Tanh()]
    model = nn.Sequential(*parts).to(device)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)

    def compiled(module: torch.fx.GraphModule) -> Any:
        return torch.compile(module, backend=backend)

    with tempfile.TemporaryDirectory() as folder:
        with (
            fresh_inductor_cache(),
            ca_engine.install(engine=engine, lowering=lowering),
            ca_engine.record(Path(folder) / "run"),
            torch_engine._enable(compiled, dynamic=False),
        ):
            for rows in (8, 5, 5):
                model(torch.randn(rows, 16, device=device)).square().mean().backward()
        run = ca_reports.load([Path(folder) / "run"])
    costs = Costs(run)
    found = [capture for capture in run.captures if capture.is_recapture]
    cost = costs.sum(found)
    if cost is None:
        raise RuntimeError("no recapture was recorded")
    return {"all": cost.seconds, **cost.phases}
