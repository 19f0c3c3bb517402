"""What the recorder adds to a backward that hits the cache."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from time import perf_counter

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine

from benchmarks import models
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.recorder import Recorder
from ca_engine.recorder.snapshot import number_nodes

BACKWARDS = 20
# What a hit may cost more when it is recorded: the larger of the two
MICROSECONDS, SHARE = 20, 0.01


def measure(layers: int, rounds: int) -> dict[str, float]:
    """Median seconds of a hit with and without the recorder, in turn, trace being written."""
    from torch._logging._internal import LazyTraceHandler, trace_log

    stock = torch_engine.AutogradCompilerInstance
    loss = models.mlp(layers)
    recorder = Recorder("ca")
    handler = LazyTraceHandler(str(Path(tempfile.mkdtemp())))
    trace_log.addHandler(handler)
    seconds: dict[str, list[float]] = {"bare": [], "recorded": []}
    try:
        for _ in range(rounds):
            for name in seconds:
                torch._C._dynamo.compiled_autograd.clear_cache()
                torch_engine.AutogradCompilerInstance = (
                    CaptureCompiler
                    if name == "bare"
                    else lambda fn: ObservedCompiler(CaptureCompiler, recorder, fn)
                )
                with torch_engine._enable(lambda module: lambda *_: [], dynamic=False):
                    loss().backward()
                    for _ in range(BACKWARDS):
                        value = loss()
                        start = perf_counter()
                        value.backward()
                        seconds[name].append(perf_counter() - start)
    finally:
        trace_log.removeHandler(handler)
        torch_engine.AutogradCompilerInstance = stock
    bare, recorded = (statistics.median(seconds[name]) for name in ("bare", "recorded"))
    nodes = float(len(number_nodes([loss()], [])))
    return {"nodes": nodes, "bare": bare, "recorded": recorded, "added": recorded - bare}
