"""One short run of `ca try`: other options than the script's, and a stop after some backwards.

What is compared between such runs is recorded here and nowhere else: the value of what each
backward started from. Reading it waits for the device, so times of these runs are a little
longer than without.
"""

from __future__ import annotations

import atexit
import math
import sys
import time
from collections import Counter
from typing import Any

import torch

from ca_engine import schema, trace
from ca_engine.compat import compiled_autograd, patches
from ca_engine.recorder.stack import variables_of
from ca_engine.settings import Settings


def start(settings: Settings) -> None:
    """Applies what ``ca try`` asked for to this process."""
    assert settings.try_steps is not None
    if settings.try_dynamic is not None:
        patches.compile_with(settings.try_dynamic)
    if settings.try_eager_hooks:
        patches.leave_hooks_to_python()
    trial = BackwardLimit(settings.try_steps)
    patches.watch_backwards(trial.backward_starts)
    patches.watch_stances(trial.stance_entered)
    atexit.register(trial.write, stopped=False)


class BackwardLimit:
    """Notes the start and the loss of up to ``steps`` backwards, then ends the program."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._starts: list[float] = []
        self._losses: list[float | str] = []
        self._stances: Counter[str] = Counter()
        self._written = False

    def backward_starts(self) -> None:
        """To be called by `patches.watch_backwards`, whose caller's variables hold the roots.

        Raises SystemExit at the backward after the last one that was asked for, so that the
        step of the last one is complete.
        """
        if compiled_autograd.is_inner_backward():
            return
        roots = variables_of(sys._getframe(2)).get("t_outputs", ())
        if len(self._losses) >= self._steps:
            if not self._written:
                self._starts.append(time.perf_counter())
            self.write(stopped=True)
            raise SystemExit(0)
        self._losses.append(_value(roots))
        self._starts.append(time.perf_counter())

    def stance_entered(self, stance: str) -> None:
        """To be called by `patches.watch_stances`."""
        self._stances[stance] += 1

    def write(self, *, stopped: bool) -> None:
        """Writes the record, if that was not done and there is something to write."""
        if self._written or not self._starts:
            return
        self._written = True
        first = self._starts[0]
        record: schema.TrialRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "starts": [round(begin - first, 6) for begin in self._starts],
            "losses": self._losses,
            "stances": self._stances,
            "stopped": stopped,
        }
        trace.compact_artifact(schema.TRIAL_RECORD, lambda: record)


def _value(roots: Any) -> float | str:
    """The sum over all elements of all roots; a text if that is no number."""
    total = 0.0
    for root in roots:
        if not isinstance(root, torch.Tensor):
            continue  # a GradientEdge has no value
        values = root.detach()
        total += float((values.abs() if values.is_complex() else values).double().sum())
    return total if math.isfinite(total) else str(total)
