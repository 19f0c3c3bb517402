"""What the recorder adds to a backward that hits the cache.

Behind thousands of autograd nodes that is a hundredth of the backward, less than the same
backward differs from one time to the next. So not whole backwards are compared: what the
recorder does is timed where it stands in one, its code as cold as it is there.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import torch
import torch._dynamo

from benchmarks import models
from benchmarks.capture import captured_with
from ca_engine import trace
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import patches
from ca_engine.recorder.captures import Captures
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.open_capture import OpenCapture
from ca_engine.recorder.recorder import Recorder
from ca_engine.recorder.rows import FLUSH_ROWS
from ca_engine.recorder.runs import Runs
from ca_engine.recorder.snapshot import number_nodes

# What a hit may cost more when it is recorded: the larger of the two
MICROSECONDS, SHARE = 20, 0.01
# Of the times taken, how many are left out at either end: an interrupt lasts longer than a hit
TRIMMED = 0.05
# The miss, and the first batches of rows, which are written more often than later ones
WARM_UP = 2 * FLUSH_ROWS


class TimedRuns(Runs):
    """Can be left out from one backward to the next, and times itself.

    ``seconds`` is what passed, since it was last set, between torch and the captured graph:
    where `ca_engine.install` watches backwards, and around C++'s call of the graph.
    """

    def __init__(self, captures: Captures, before_rows: Callable[[], None]) -> None:
        super().__init__(captures, before_rows)
        self.recording = False
        self.seconds = 0.0
        self.flush_seconds = 0.0
        owner: Any = torch.autograd.Variable
        stock = owner._execution_engine
        patches.watch_backwards(self.backward_starts)
        engines = {False: stock, True: owner._execution_engine}
        runs = self

        class TimedEngine(type(stock)):  # type: ignore[misc]
            @property
            def run_backward(self) -> Any:
                begin = perf_counter()
                found = engines[runs.recording].run_backward
                runs.seconds += perf_counter() - begin
                return found

        owner._execution_engine = TimedEngine()

    def observe(self, open_capture: OpenCapture, wrapper: Callable[..., Any]) -> Callable[..., Any]:
        entered = left = 0.0

        def graph(*args: Any) -> Any:
            nonlocal entered, left
            entered = perf_counter()
            result = wrapper(*args)
            left = perf_counter()
            return result

        runs = {False: graph, True: super().observe(open_capture, graph)}

        def timed(*args: Any) -> Any:
            run = runs[self.recording]
            begin = perf_counter()
            result = run(*args)
            self.seconds += (entered - begin) + (perf_counter() - left)
            return result

        return timed

    def flush(self) -> None:
        start = perf_counter()
        super().flush()
        self.flush_seconds += perf_counter() - start


def measure(layers: int, pairs: int) -> dict[str, float]:
    """Seconds that the recorder adds to a hit, a trace being written.

    The same backward runs ``pairs`` times each way, in the order ABBA, so that what slows the
    machine down slows both. ``bare`` are the CPU seconds of a backward without the recorder.
    ``added`` is the difference between the trimmed means of what passes between torch and the
    captured graph, ``error`` its standard error; writing the rows, which happens once in a
    thousand backwards, is in ``added`` with its share.
    """
    loss = models.mlp(layers)()
    recorder = Recorder()
    runs = recorder.runs = TimedRuns(recorder.captures, recorder.ensure_started)
    taken: dict[bool, list[float]] = {False: [], True: []}
    bare: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        trace.written_to(Path(folder)),
        captured_with(
            partial(ObservedCompiler, CaptureCompiler, recorder), lambda _: lambda *_: []
        ),
    ):
        runs.recording = True
        for _ in range(WARM_UP):
            loss.backward(retain_graph=True)
        runs.flush()
        runs.flush_seconds = 0.0
        gc.collect()
        gc.disable()  # a collection would fall on one of a pair
        for pair in range(pairs):
            for on in (True, False) if pair % 2 else (False, True):
                runs.recording, runs.seconds = on, 0.0
                flushed = runs.flush_seconds
                start = thread_time()
                loss.backward(retain_graph=True)
                if not on:
                    bare.append(thread_time() - start)
                taken[on].append(runs.seconds - (runs.flush_seconds - flushed))
        runs.flush()
        gc.enable()
        runs.recording = False
        recorder.end()
    kept = {on: _trimmed(seconds) for on, seconds in taken.items()}
    return {
        "nodes": float(len(number_nodes([loss], []))),
        "bare": statistics.median(bare),
        "added": statistics.mean(kept[True])
        - statistics.mean(kept[False])
        + runs.flush_seconds / pairs,
        "error": sum(statistics.variance(each) / len(each) for each in kept.values()) ** 0.5,
    }


def _trimmed(seconds: list[float]) -> list[float]:
    cut = int(len(seconds) * TRIMMED)
    return sorted(seconds)[cut : len(seconds) - cut]
