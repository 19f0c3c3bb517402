"""CPU seconds of a whole recompile: from the backward that misses to the end of its graph's run.

Torch's engine with Dynamo and AOTAutograd, against ours with lowering, in one process.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from time import process_time
from typing import Any, NamedTuple
from unittest import mock

import torch
import torch._dynamo
from torch._inductor import compile_fx
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
PROMISED_COMPILED = {**PROMISED, "aot_eager": 5.0}


class Recompiles(NamedTuple):
    """Seconds of a first capture, and of the second one, which finds ``.grad`` defined.

    ``within_inductor`` is the part that inductor took of each, with the compilers it started.
    """

    first: float
    second: float
    within_inductor: tuple[float, float] = (0.0, 0.0)


# By engine
Measured = dict[str, Recompiles]


def promised(case: str, backend: str) -> float:
    if "compiled forward" in case:
        return PROMISED_COMPILED[backend]
    return PROMISED[backend]


def measure(case: str, backend: str, clock: Callable[[], float] | None = None) -> Measured:
    """For ``torch`` and ``ca``; ``backend`` may be ``inductor cold`` or ``inductor warm``.

    By CPU seconds, compilers included, or by ``clock``.
    """
    for module in SKIPPED_BY_DYNAMO:
        torch._dynamo.trace_rules.add(module)
    name, _, state = backend.partition(" ")
    clock = clock or cpu_seconds
    found: Measured = {}
    # What is bound and imported once in a process, templates included, is no part of a recompile.
    for engine in ENGINES:
        with fresh_cache() if state else nullcontext():
            _recompile(engine, models.mlp(1), name, clock)
    # What one engine's compile leaves in inductor's and SymPy's own caches helps the other's, so
    # each goes first once.
    orders = [list(ENGINES), list(reversed(ENGINES))] if state else [list(ENGINES)]
    for engine in (engine for order in orders for engine in order):
        loss = _afresh(case)
        with fresh_cache() if state else nullcontext():
            taken = _recompile(engine, loss, name, clock)
            if state == "warm":
                taken = _recompile(engine, _afresh(case), name, clock)
        found[engine] = _mean(found[engine], taken) if engine in found else taken
    return found


def _mean(one: Recompiles, two: Recompiles) -> Recompiles:
    within = zip(one.within_inductor, two.within_inductor, strict=True)
    first, second = ((a + b) / 2 for a, b in within)
    return Recompiles((one.first + two.first) / 2, (one.second + two.second) / 2, (first, second))


def _afresh(case: str) -> models.Loss:
    torch.manual_seed(0)
    return CASES[case]()


def _recompile(
    engine: str, loss: models.Loss, backend: str, clock: Callable[[], float]
) -> Recompiles:
    torch._dynamo.reset()
    compile_graph: Callable[..., Any] = partial(torch.compile, backend=backend)
    seconds: list[float] = []
    within: list[float] = []
    mode = Mode.ON if engine == "ca" else Mode.OFF
    with captured_with(ENGINES[engine], compile_graph), modes.switched(mode):
        for _ in range(2):
            root = loss()
            gc.collect()
            with _timing_inductor(clock) as taken:
                start = clock()
                root.backward()
                seconds.append(clock() - start)
            within.append(sum(taken))
    return Recompiles(seconds[0], seconds[1], (within[0], within[1]))


@contextmanager
def _timing_inductor(clock: Callable[[], float]) -> Iterator[list[float]]:
    """Yield a list that gets the seconds of each graph that inductor compiles."""
    taken: list[float] = []
    stock = compile_fx.compile_fx_forward

    def timed(*args: Any, **kwargs: Any) -> Any:
        start = clock()
        try:
            return stock(*args, **kwargs)
        finally:
            taken.append(clock() - start)

    with mock.patch.object(compile_fx, "compile_fx_forward", timed):
        yield taken


def cpu_seconds() -> float:
    """Of this process and of the compilers that it waited for."""
    # `os.times` counts in hundredths of a second: enough for compilers, not for an eager recompile.
    times = os.times()
    return process_time() + times.children_user + times.children_system
