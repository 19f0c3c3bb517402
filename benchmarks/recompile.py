"""CPU seconds of a whole recompile: from the backward that misses to the end of its graph's run.

Torch's engine with Dynamo and AOTAutograd, against ours with lowering, in one process.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import torch
import torch._dynamo
from torch._inductor.utils import fresh_cache

from benchmarks import models
from benchmarks.capture import ENGINES, captured_with
from ca_engine.installation import SKIPPED_BY_DYNAMO
from ca_engine.lowering import modes
from ca_engine.lowering.modes import Mode

CASES: dict[str, Callable[[], models.Loss]] = {
    "MLP, 100 layers": lambda: models.mlp(100),
    "GPT, 4 layers": lambda: models.gpt(4),
    "GPT, 12 layers": lambda: models.gpt(12),
    "GPT, 4 layers, compiled forward": lambda: models.gpt(4, compiled_forward=True),
}
# What docs/design.md promises, and less for a forward that was compiled: its backward is short
PROMISED = {"eager": 30.0, "aot_eager": 10.0, "inductor cold": 1.8, "inductor warm": 6.0}
PROMISED_COMPILED = {"aot_eager": 5.0}


class Recompiles(NamedTuple):
    """Seconds of a first capture, and of the second one, which finds ``.grad`` defined."""

    first: float
    second: float


def promised(case: str, backend: str) -> float:
    if "compiled forward" in case:
        return PROMISED_COMPILED.get(backend, 1.0)
    return PROMISED[backend]


def measure(case: str, backend: str) -> dict[str, Recompiles]:
    """For ``torch`` and ``ca``; ``backend`` may be ``inductor cold`` or ``inductor warm``."""
    for module in SKIPPED_BY_DYNAMO:
        torch._dynamo.trace_rules.add(module)
    name, _, state = backend.partition(" ")
    found = {}
    # What is bound and imported once in a process, templates included, is no part of a recompile.
    for engine in ENGINES:
        with fresh_cache() if state else nullcontext():
            _recompile(engine, models.mlp(1), name)
    for engine in ENGINES:
        torch.manual_seed(0)
        loss = CASES[case]()
        with fresh_cache() if state else nullcontext():
            found[engine] = _recompile(engine, loss, name)
            if state == "warm":
                found[engine] = _recompile(engine, _afresh(case), name)
    return found


def _afresh(case: str) -> models.Loss:
    torch.manual_seed(0)
    return CASES[case]()


def _recompile(engine: str, loss: models.Loss, backend: str) -> Recompiles:
    torch._dynamo.reset()
    compile_graph: Callable[..., Any] = partial(torch.compile, backend=backend)
    seconds = []
    mode = Mode.ON if engine == "ca" else Mode.OFF
    with captured_with(ENGINES[engine], compile_graph), modes.switched(mode):
        for _ in range(2):
            root = loss()
            gc.collect()
            start = cpu_seconds()
            root.backward()
            seconds.append(cpu_seconds() - start)
    return Recompiles(*seconds)


def cpu_seconds() -> float:
    """Of this process and of the compilers that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
