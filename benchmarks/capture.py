"""Seconds of CPU that a capture takes: torch's engine and ours in turn, in one process."""

from __future__ import annotations

import gc
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any
from unittest import mock

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine

from benchmarks import models
from ca_engine import trace
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import modes
from ca_engine.lowering.lowered import LoweredBackward
from ca_engine.lowering.modes import Mode
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.recorder import Recorder

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

# What docs/design.md promises these ratios for; the second with recording on
PROMISED = {"MLP, 400 layers", "GPT, 12 layers, eager forward"}
RATIO, RECORDED_RATIO = 20, 10
# Torch's engine takes half a minute for it; it is here to see that ours stays linear.
NOT_RECORDED = {"MLP, 1600 layers"}

ENGINES: dict[str, Any] = {
    "torch": torch_engine.AutogradCompilerInstance,
    "ca": CaptureCompiler,
}
# The same with a trace being written, and ours with the recorder around it
RECORDED: dict[str, Any] = {
    "torch": ENGINES["torch"],
    "ca": partial(ObservedCompiler, CaptureCompiler, Recorder()),
}


@contextmanager
def captured_with(compiler: Any, compiler_fn: Callable[..., Any]) -> Iterator[None]:
    """Backwards within are captured by ``compiler``, torch's class or one in its place."""
    vars(torch_engine)["AutogradCompilerInstance"] = compiler
    torch._C._dynamo.compiled_autograd.clear_cache()
    try:
        with torch_engine._enable(compiler_fn, dynamic=False):
            yield
    finally:
        vars(torch_engine)["AutogradCompilerInstance"] = ENGINES["torch"]


def capture_seconds(
    compiler: Any, loss: torch.Tensor, *, mode: Mode = Mode.OFF
) -> tuple[float, int]:
    """CPU seconds of one capture without compiling or running it, and its FX nodes."""
    nodes = 0

    def stop_here(module: torch.fx.GraphModule) -> Callable[..., Any]:
        nonlocal nodes
        nodes = len(module.graph.nodes)
        return lambda *_: []

    not_run = mock.patch.object(LoweredBackward, "__call__", return_value=[])
    with captured_with(compiler, stop_here), modes.switched(mode), not_run:
        # What one engine leaves behind for the garbage collector is not the other's to clear.
        gc.collect()
        start = process_time()
        loss.backward()
        return process_time() - start, nodes


def measure(case: str) -> dict[str, float]:
    """Median CPU seconds of each engine and their ratio, torch's divided by ours.

    ``lowered_ratio`` is the same with lowering, when ours leaves the graph's Python code to
    whoever wants it, and ``recorded_ratio`` with a trace being written by both, ours recorded;
    cases of `NOT_RECORDED` have none.
    """
    make, repeats = CASES[case]
    torch.manual_seed(0)
    loss = make()
    result = {"nodes": 0.0, **_alternate(ENGINES, loss, repeats)}
    result["nodes"] = capture_seconds(ENGINES["ca"], loss())[1]
    result["lowered_ratio"] = result["torch"] / result["lowered"]
    if case not in NOT_RECORDED:
        with tempfile.TemporaryDirectory() as folder, trace.written_to(Path(folder)):
            result["recorded_ratio"] = _alternate(RECORDED, loss, repeats)["ratio"]
    return result


def _alternate(engines: dict[str, Any], loss: models.Loss, repeats: int) -> dict[str, float]:
    runs = [(name, compiler, Mode.OFF) for name, compiler in engines.items()]
    runs.append(("lowered", engines["ca"], Mode.ON))
    if repeats > 1:  # binds the C++ nodes once, fills import caches
        for _, compiler, mode in runs:
            capture_seconds(compiler, loss(), mode=mode)
    seconds: dict[str, list[float]] = {name: [] for name, *_ in runs}
    for _ in range(repeats):
        for name, compiler, mode in runs:
            seconds[name].append(capture_seconds(compiler, loss(), mode=mode)[0])
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    return {**medians, "ratio": medians["torch"] / medians["ca"]}
