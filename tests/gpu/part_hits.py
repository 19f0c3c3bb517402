"""A backward that hits: host time, and how long the GPU waits between its kernels.

The GPU's time for a row of backwards is between two CUDA events; what it was busy in it, the sum
of the kernels' times by torch's profiler; the rest it waited.
"""

from __future__ import annotations

import statistics
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine

from tests.gpu.programs import model_on
from tests.gpu.trained import ENGINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.gpu.result import Result, Settings


def run(settings: Settings, result: Result) -> None:
    times = 20 if settings.is_small else 200
    ours, theirs = (hits(settings, engine, times) for engine in ("ca", "torch"))
    for name, unit in (("host", "µs"), ("GPU, first to last kernel", "µs"), ("GPU waited", "µs")):
        if name in ours:
            result.measured(f"a hit: {name}", ours[name], unit, theirs.get(name))
    if not settings.is_cuda:
        result.leave_out("GPU idle time", "needs CUDA events")


def hits(settings: Settings, engine: str, times: int) -> dict[str, float]:
    """Microseconds a backward of a small model, which is all launches."""
    torch._dynamo.reset()
    model = model_on(settings.device)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    loss = model(torch.randn(8, 16, device=settings.device)).square().mean()
    vars(torch_engine)["AutogradCompilerInstance"] = ENGINES[engine]

    def backward() -> None:
        loss.backward(retain_graph=True)

    try:
        with torch_engine._enable(torch.compile(backend="eager"), dynamic=False):
            for _ in range(5):
                backward()
            found = {"host": host_time(backward, times, settings)}
            if settings.is_cuda:
                found |= gpu_times(backward, times)
    finally:
        vars(torch_engine)["AutogradCompilerInstance"] = ENGINES["torch"]
    return found


def host_time(call: Callable[[], None], times: int, settings: Settings) -> float:
    taken = []
    for _ in range(times):
        if settings.is_cuda:
            torch.cuda.synchronize()
        begin = perf_counter()
        call()
        taken.append(perf_counter() - begin)
    return statistics.median(taken) * 1e6


def gpu_times(call: Callable[[], None], times: int) -> dict[str, float]:
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    first.record()
    for _ in range(times):
        call()
    last.record()
    last.synchronize()
    whole = first.elapsed_time(last) * 1e3 / times
    busy = kernel_time(call, times)
    return {"GPU, first to last kernel": whole, "GPU waited": max(0.0, whole - busy)}


def kernel_time(call: Callable[[], None], times: int) -> float:
    """Microseconds of kernels in one call."""
    activity: Any = torch.profiler.ProfilerActivity.CUDA
    with torch.profiler.profile(activities=[activity]) as profile:
        for _ in range(times):
            call()
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profile.key_averages()) / times
