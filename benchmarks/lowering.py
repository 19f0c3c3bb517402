"""What lowering does to a training: its hits, its memory, its next start, a whole run of it.

    python -m benchmarks.lowering hits|memory|start …

is one process of these measurements, which prints figures.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

from benchmarks.commands import CA
from benchmarks.memory import LENGTH, STRUCTURES, resident_bytes

REPOSITORY = Path(__file__).parents[1]
WARM_UP, HITS = 50, 1500
# With inductor, which takes seconds for each
COMPILED_STRUCTURES = 6
# Torch's engine divided by lowering: seconds lost, a second start's compile; and hits, at most
LOST, START, HIT = 5, 6, 1.02

TRAINING = """
import torch
from torch import nn
from torch._dynamo import compiled_autograd
from benchmarks.models import Block

ACCUMULATED, EVALUATED = 4, 10
torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(64, 32), *(Block(32, 4) for _ in range(4)), nn.Linear(32, 64))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

def loss_of(tokens):
    return nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

with compiled_autograd._enable(torch.compile(backend="aot_eager"), dynamic=False):
    for step in range(30):
        for _ in range(ACCUMULATED):
            (loss_of(torch.randint(64, (2, 9))) / ACCUMULATED).backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % EVALUATED == EVALUATED - 1:
            model.eval()
            loss_of(torch.randint(64, (2, 9))).backward()  # of saliency, say
            optimizer.zero_grad()
            model.train()
"""


class Run(NamedTuple):
    """Of a recorded training: seconds lost, captures, recaptures."""

    lost: float
    captures: int
    recaptures: int


def runs() -> tuple[Run, Run]:
    """Measure the same small GPT training with torch's engine, and with lowering."""
    return _run("--engine", "torch"), _run("--lowering")


def _run(*options: str) -> Run:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "train.py").write_text(TRAINING)
        run = work / "run"
        command: list[str | Path] = [
            CA,
            "run",
            "--quiet",
            "--no-report",
            *options,
            "-o",
            run,
            work / "train.py",
        ]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        subprocess.run(command, cwd=work, env=environment, check=True)
        told: list[str | Path] = [CA, "explain-recompiles", "--format", "json", run]
        document = json.loads(subprocess.run(told, check=True, capture_output=True).stdout)
    summary = document["summary"]
    return Run(summary["seconds_lost"], summary["captures"], summary["recaptures"])


def starts() -> tuple[float, float]:
    """CPU seconds of two recompiles of a GPT with inductor, compilers included.

    In a first process, and in a second one that finds the first one's cache.
    """
    with tempfile.TemporaryDirectory() as cache:
        environment = {"TORCHINDUCTOR_CACHE_DIR": cache}
        first, second = (float(_process("start", **environment)[0]) for _ in range(2))
    return first, second


def hits(backend: str) -> float:
    """CPU seconds of a hit with lowering, divided by those of torch's engine with Dynamo."""
    return float(_process("hits", backend)[0])


def memory(backend: str) -> tuple[float, float]:
    """Bytes by which a process grows at its peak: with torch's engine, and with lowering.

    By `COMPILED_STRUCTURES` with a cold ``inductor``, by `STRUCTURES` with other backends.
    """
    found = []
    for way in ("torch", "lowering"):
        with tempfile.TemporaryDirectory() as cache:
            environment = {"TORCHINDUCTOR_CACHE_DIR": cache}
            found.append(float(_process("memory", backend, way, **environment)[0]))
    return found[0], found[1]


def _process(*arguments: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lowering", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        env={**os.environ, **environment},
    )
    return done.stdout.split()


# Within such a process


@contextmanager
def _captured(way: str, backend: str) -> Any:
    """``way``: torch, dynamo (our engine without lowering), lowering."""
    import torch._dynamo

    from benchmarks.capture import ENGINES, captured_with
    from ca_engine.installation import SKIPPED_BY_DYNAMO
    from ca_engine.lowering import modes
    from ca_engine.lowering.modes import Mode

    for module in SKIPPED_BY_DYNAMO:
        torch._dynamo.trace_rules.add(module)
    compile_graph: Callable[..., Any] = partial(torch.compile, backend=backend)
    engine = ENGINES["torch" if way == "torch" else "ca"]
    mode = Mode.ON if way == "lowering" else Mode.OFF
    with captured_with(engine, compile_graph), modes.switched(mode):
        yield


def _hits(backend: str) -> float:
    import torch

    from benchmarks import models

    torch.manual_seed(0)
    loss = models.mlp(20)()
    taken: dict[str, list[float]] = {"torch": [], "lowering": []}
    # C++ has one cache, so each captures anew; what slows the machine down slows both.
    for way in ("torch", "lowering", "lowering", "torch"):
        with _captured(way, backend):
            for _ in range(WARM_UP):
                loss.backward(retain_graph=True)
            gc.collect()
            for _ in range(HITS):
                start = thread_time()
                loss.backward(retain_graph=True)
                taken[way].append(thread_time() - start)
    middle = {way: statistics.median(each) for way, each in taken.items()}
    return middle["lowering"] / middle["torch"]


def _memory(backend: str, way: str) -> float:
    import torch

    x = torch.randn(4, requires_grad=True)

    def chain(structure: int) -> torch.Tensor:
        y = x
        for place in range(LENGTH):
            y = y.sin() if structure >> (place % 6) & 1 else y.tanh()
        return y.sum()

    with _captured(way, backend):
        chain(STRUCTURES).backward()
        before = resident_bytes("VmRSS")
        for structure in range(COMPILED_STRUCTURES if backend == "inductor" else STRUCTURES):
            chain(structure).backward()
    return resident_bytes("VmHWM") - before


def _start() -> float:
    import torch._inductor.config

    from benchmarks import models
    from benchmarks.recompile import cpu_seconds

    # Otherwise compilers run in workers, whose seconds nobody counts.
    torch._inductor.config.compile_threads = 1
    torch.manual_seed(0)
    with _captured("lowering", "inductor"):
        models.mlp(1)().backward()  # what is imported once
        loss = models.gpt(2)
        seconds = 0.0
        for _ in range(2):
            root = loss()
            begin = cpu_seconds()
            root.backward()
            seconds += cpu_seconds() - begin
    return seconds


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    found: Any = {"hits": _hits, "memory": _memory, "start": _start}[what]
    print(found(*rest))
