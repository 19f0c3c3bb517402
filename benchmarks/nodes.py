"""What torch takes more than us for a node of a captured graph, in CPU seconds.

The figures of `ca_reports.facts.torch_costs`. Captures are timed while a trace is written.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch
import torch._dynamo

from benchmarks import models
from benchmarks.capture import ENGINES, RECORDED, capture_seconds, captured_with
from benchmarks.recompile import cpu_seconds
from ca_engine import trace
from ca_engine.installation import SKIPPED_BY_DYNAMO
from ca_engine.lowering import modes
from ca_engine.lowering.modes import Mode

PROGRAMS: dict[str, Callable[[], models.Loss]] = {
    "MLP, 10 layers": lambda: models.mlp(10),
    "MLP, 100 layers": lambda: models.mlp(100),
    "GPT, 2 layers": lambda: models.gpt(2),
    "GPT, 6 layers": lambda: models.gpt(6),
    "GPT, 4 layers, compiled forward": lambda: models.gpt(4, compiled_forward=True),
    "CNN, 16 residual blocks": lambda: models.convolutions(16),
    "LSTM, 20 steps": lambda: models.lstm(20),
    "transformer encoder, 3 layers": lambda: models.encoder(3),
    "50 custom Functions": lambda: models.custom_functions(50),
    "50 tensor hooks": lambda: models.many_hooks(50),
}
# These go through Dynamo whatever the backend, but for the eager one.
WITH_PYTHON = ("50 custom Functions", "50 tensor hooks")


class PerNode(NamedTuple):
    """Seconds a node of what torch takes more; None where lowering can't do without Dynamo."""

    capture: float
    eager: float
    aot_eager: float | None


def measure() -> Iterator[tuple[str, PerNode]]:
    for module in SKIPPED_BY_DYNAMO:
        torch._dynamo.trace_rules.add(module)
    for backend in ("eager", "aot_eager"):  # binds what is bound once in a process
        for mode in (Mode.OFF, Mode.ON):
            _recompile(models.mlp(1), backend, mode)
    for name, make in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder, trace.written_to(Path(folder)):
            capture = _capture(make)
        eager = _dynamo(make, "eager")
        aot = None if name in WITH_PYTHON else _dynamo(make, "aot_eager")
        yield name, PerNode(capture, eager, aot)


def _capture(make: Callable[[], models.Loss]) -> float:
    loss = make()
    nodes = capture_seconds(RECORDED["ca"], loss())[1]
    torchs, ours = (
        median(capture_seconds(RECORDED[engine], loss())[0] for _ in range(3))
        for engine in ("torch", "ca")
    )
    return (torchs - ours) / nodes


def _dynamo(make: Callable[[], models.Loss], backend: str) -> float:
    without, nodes = _recompile(make(), backend, Mode.OFF)
    lowered, _ = _recompile(make(), backend, Mode.ON)
    return (without - lowered) / nodes


def _recompile(loss: models.Loss, backend: str, mode: Mode) -> tuple[float, int]:
    """CPU seconds of the second capture of a program, which finds ``.grad`` defined; its nodes."""
    torch._dynamo.reset()
    nodes = 0

    def compiler_fn(module: torch.fx.GraphModule) -> Any:
        nonlocal nodes
        nodes = len(module.graph.nodes)
        return compile_graph(module)

    compile_graph: Callable[..., Any] = partial(torch.compile, backend=backend)
    with captured_with(ENGINES["ca"], compiler_fn), modes.switched(mode):
        loss().backward()
        root = loss()
        gc.collect()
        start = cpu_seconds()
        root.backward()
        return cpu_seconds() - start, nodes
