"""Memory of a training: the GPU's peak, and what stays on the host after many captures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from benchmarks import memory
from tests.gpu.programs import PROGRAMS
from tests.gpu.trained import train

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings


def run(settings: Settings, result: Result) -> None:
    if settings.is_cuda:
        ours, theirs = (peak(engine) for engine in ("ca", "torch"))
        result.measured("training, peak allocated", ours / 2**20, "MiB", theirs / 2**20)
    else:
        result.leave_out("peak allocated", "the GPU's allocator counts it")
    if settings.is_small:
        result.leave_out("growth of the host's memory", "make bench shows it; it takes its time")
        return
    ours, theirs = (memory.measure(engine)["bytes"] for engine in ("ca", "torch"))
    result.measured("60 captures, growth of the host's peak", ours / 2**20, "MiB", theirs / 2**20)


def peak(engine: str) -> float:
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    train(PROGRAMS["plain"], "cuda", engine, {"backend": "aot_eager"})
    return float(torch.cuda.max_memory_allocated())
