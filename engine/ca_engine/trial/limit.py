"""One short run of `ca try` or `ca fix --verify`: it stops after some backwards.

What is compared is recorded here and nowhere else: the value of what each backward started from,
sums over gradients and weights, and how many calls ran what was compiled. Reading tensors waits
for the device; times leave that out.
"""

from __future__ import annotations

import atexit
import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch

from ca_engine import schema, trace
from ca_engine.compat import compiled_autograd, dynamo, patches
from ca_engine.recorder.core_waits import clock
from ca_engine.settings import Settings
from ca_engine.trial import sizes
from ca_engine.trial.calls import CompiledCalls
from ca_engine.trial.values import Sum, TrainedTensors, leaves, total

# Names of tensors that ask for gradients: no message shows more than a few.
MAX_NAMES = 5000


def start(settings: Settings) -> None:
    """Apply what ``ca try`` asked for to this process."""
    assert settings.try_steps is not None
    if settings.try_dynamic is not None:
        patches.compile_with(settings.try_dynamic)
    if settings.try_eager_hooks:
        patches.leave_hooks_to_python()
    trial = BackwardLimit(settings.try_steps)
    if settings.try_sizes is not None:
        sizes.apply(settings.try_sizes, trial.forwards)
    patches.replace_backwards(trial.watched)
    trial.calls.watch()
    atexit.register(trial.write, stopped=False)


class BackwardLimit:
    """Notes what up to ``steps`` backwards begin with and compute, then ends the program."""

    def __init__(self, steps: int) -> None:
        self.calls = CompiledCalls()
        self.forwards = sizes.CallLimit(steps, lambda: self.calls.graphs, self.end)
        self._steps = steps
        self._starts: list[float] = []
        self._losses: list[float | str] = []
        self._gradients: list[Sum] = []
        self._weights: list[Sum] = []
        self._buffers: list[Sum] = []
        self._asking: list[int] = []
        self._names: list[str] = []
        self._compiles: list[int] = []
        self._trained = TrainedTensors()
        self._written = False
        self._running = 0
        self._lock = threading.Lock()
        # What reading tensors took so far.
        self._spent = 0.0

    def watched(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Return what is to run in the place of torch's ``run_backward``."""
        # A backward within another one, as a reentrant checkpoint starts it, or of a compiler.
        if self._running or compiled_autograd.is_inner_backward():
            return run

        def run_backward(roots: Any, *arguments: Any, **options: Any) -> Any:
            reached = self.backward_starts(roots)
            with self._lock:
                self._running += 1
            try:
                results = run(roots, *arguments, **options)
            finally:
                with self._lock:
                    self._running -= 1
            self.backward_ends(reached, results)
            return results

        return run_backward

    def backward_starts(self, roots: Iterable[Any]) -> list[torch.Tensor]:
        """Note what the backward begins with. Return the leaves that it leads to.

        Raises SystemExit at the backward after the last one that was asked for, so that the
        step of the last one is complete.
        """
        begin = clock()
        self.calls.leave_results()
        roots = tuple(roots)
        if not self._written:
            self._starts.append(begin - self._spent)
            self._compiles.append(self.calls.graphs)
            now = self._trained.read()
            self._weights.append(now.weights)
            self._buffers.append(now.buffers)
            self._asking.append(len(now.asking))
            self._names = now.asking
        if len(self._losses) >= self._steps:
            self.end()
        self._losses.append(_value(roots))
        reached = leaves(roots)
        self._spent += clock() - begin
        return reached

    def end(self) -> None:
        """Write the record and end the program: raise SystemExit."""
        self.write(stopped=True)
        raise SystemExit(0)

    def backward_ends(self, reached: Iterable[torch.Tensor], results: Any) -> None:
        """Note the gradients: ``results`` where it returned some, else those of the leaves."""
        begin = clock()
        made = [one for one in results or () if isinstance(one, torch.Tensor)]
        found = made or [one.grad for one in reached if one.grad is not None]
        self._gradients.append(total(found, with_zeros=False))
        self._spent += clock() - begin

    def write(self, *, stopped: bool) -> None:
        """Write the record, if that was not done and there is something to write."""
        calls = self.calls.record()
        if self._written or not (self._starts or calls["compiled"] or calls["eager"]):
            return
        self._written = True
        first = self._starts[0] if self._starts else 0.0
        record: schema.TrialRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "starts": [round(begin - first, 6) for begin in self._starts],
            "losses": self._losses,
            "gradients": [list(one) for one in self._gradients],
            "weights": [list(one) for one in self._weights],
            "buffers": [list(one) for one in self._buffers],
            "asking": self._asking,
            "asking_names": self._names[:MAX_NAMES],
            "compiles": self._compiles,
            "skipped": dynamo.skipped_frames(),
            "calls": calls,
            "results": [list(one) for one in self.calls.results],
            "call_seconds": [round(one, 7) for one in self.forwards.seconds],
            "call_compiles": self.forwards.compiles,
            "stopped": stopped,
        }
        trace.compact_artifact(schema.TRIAL_RECORD, lambda: record)


def _value(roots: Iterable[Any]) -> float | str:
    """Return the sum over all elements of all roots; a text if that is no number."""
    result = 0.0
    for root in roots:
        if not isinstance(root, torch.Tensor):
            continue  # a GradientEdge has no value
        values = root.detach()
        result += float((values.abs() if values.is_complex() else values).double().sum())
    return result if math.isfinite(result) else str(result)
