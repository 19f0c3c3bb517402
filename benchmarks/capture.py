"""Seconds of CPU that a capture takes: torch's engine and ours in turn, in one process."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import process_time
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine

from benchmarks import models
from ca_engine.capture.compiler import CaptureCompiler

CASES: dict[str, tuple[Callable[[], models.Loss], int]] = {
    "MLP, 10 layers": (lambda: models.mlp(10), 5),
    "MLP, 100 layers": (lambda: models.mlp(100), 3),
    "MLP, 400 layers": (lambda: models.mlp(400), 3),
    "MLP, 1600 layers": (lambda: models.mlp(1600), 1),
    "GPT, 12 layers, eager forward": (lambda: models.gpt(12), 3),
    "GPT, 12 layers, compiled forward": (lambda: models.gpt(12, compiled_forward=True), 3),
    "CNN, 16 residual blocks": (lambda: models.convolutions(16), 3),
    "200 custom Functions": (lambda: models.custom_functions(200), 3),
    "500 tensor hooks": (lambda: models.many_hooks(500), 3),
}

# What docs/design.md promises a ratio of 10 for
PROMISED = {"MLP, 400 layers", "GPT, 12 layers, eager forward"}

ENGINES: dict[str, Any] = {
    "torch": torch_engine.AutogradCompilerInstance,
    "ca": CaptureCompiler,
}


def capture_seconds(engine: str, loss: torch.Tensor) -> tuple[float, int]:
    """CPU seconds of one capture without compiling or running it, and its FX nodes."""
    nodes = 0

    def stop_here(module: torch.fx.GraphModule) -> Callable[..., Any]:
        nonlocal nodes
        nodes = len(module.graph.nodes)
        return lambda *_: []

    torch_engine.AutogradCompilerInstance = ENGINES[engine]
    torch._C._dynamo.compiled_autograd.clear_cache()
    try:
        with torch_engine._enable(stop_here, dynamic=False):
            start = process_time()
            loss.backward()
            return process_time() - start, nodes
    finally:
        torch_engine.AutogradCompilerInstance = ENGINES["torch"]


def measure(case: str) -> dict[str, float]:
    """Median CPU seconds of each engine and their ratio, torch's divided by ours."""
    make, repeats = CASES[case]
    torch.manual_seed(0)
    loss = make()
    for engine in ENGINES:  # binds the C++ nodes once, fills import caches
        capture_seconds(engine, loss())
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    nodes = 0
    for _ in range(repeats):
        for engine in ENGINES:
            taken, nodes = capture_seconds(engine, loss())
            seconds[engine].append(taken)
    theirs, ours = (statistics.median(seconds[engine]) for engine in ("torch", "ca"))
    return {"nodes": nodes, "torch": theirs, "ca": ours, "ratio": theirs / ours}
