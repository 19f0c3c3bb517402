"""What the recorder adds to a backward that hits the cache."""

from __future__ import annotations

import gc
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import thread_time
from typing import Any

import torch
import torch._dynamo

from benchmarks import models
from benchmarks.capture import captured_with
from ca_engine import compat, trace
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.recorder.draft import CaptureDraft
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.recorder import Recorder
from ca_engine.recorder.snapshot import number_nodes

# What a hit may cost more when it is recorded: the larger of the two
MICROSECONDS, SHARE = 20, 0.01
# Of the differences between neighbours, how many are left out at either end
TRIMMED = 0.25


class SwitchedRecorder(Recorder):
    """A recorder that can be left out from one backward to the next."""

    recording = True

    def __init__(self) -> None:
        super().__init__("ca")
        self.flush_seconds = 0.0
        owner: Any = torch.autograd.Variable
        stock = owner._execution_engine
        compat.watch_backwards(*self.watchers())
        self._engines = {False: stock, True: owner._execution_engine}

    def switch(self, on: bool) -> None:
        """What `ca_engine.install` puts around every backward comes and goes with it."""
        self.recording = on
        owner: Any = torch.autograd.Variable
        owner._execution_engine = self._engines[on]

    def observe_runs(self, draft: CaptureDraft, wrapper: Callable[..., Any]) -> Callable[..., Any]:
        recorded = super().observe_runs(draft, wrapper)
        return lambda *args: (recorded if self.recording else wrapper)(*args)

    def flush(self) -> None:
        start = thread_time()
        super().flush()
        self.flush_seconds += thread_time() - start


def measure(layers: int, pairs: int) -> dict[str, float]:
    """CPU seconds of a hit with and without the recorder, a trace being written.

    The same backward runs ``pairs`` times each way, in the order ABBA, so that what slows the
    machine down slows both. ``added`` is the trimmed mean of the differences, ``error`` its
    standard error; what writing the rows costs, once in a thousand backwards, comes on top.
    """
    loss = models.mlp(layers)()
    recorder = SwitchedRecorder()
    taken: dict[bool, list[float]] = {False: [], True: []}
    with (
        tempfile.TemporaryDirectory() as folder,
        trace.written_to(Path(folder)),
        captured_with(
            partial(ObservedCompiler, CaptureCompiler, recorder), lambda _: lambda *_: []
        ),
    ):
        _seconds(loss)  # the miss
        for _ in range(20):
            _seconds(loss)
        recorder.flush()
        recorder.flush_seconds = 0.0
        gc.collect()
        gc.disable()  # a collection would fall on one of a pair
        for pair in range(pairs):
            for on in (True, False) if pair % 2 else (False, True):
                recorder.switch(on)
                flushed = recorder.flush_seconds
                seconds = _seconds(loss)
                taken[on].append(seconds - (recorder.flush_seconds - flushed))
        recorder.flush()
        gc.enable()
        recorder.switch(False)
        recorder.forget()
    differences = sorted(on - off for on, off in zip(taken[True], taken[False], strict=True))
    cut = int(pairs * TRIMMED)
    kept = differences[cut : pairs - cut]
    return {
        "nodes": float(len(number_nodes([loss], []))),
        "bare": statistics.median(taken[False]),
        "added": statistics.mean(kept) + recorder.flush_seconds / pairs,
        "error": statistics.stdev(kept) / len(kept) ** 0.5,
    }


def _seconds(loss: torch.Tensor) -> float:
    start = thread_time()
    loss.backward(retain_graph=True)
    return thread_time() - start
