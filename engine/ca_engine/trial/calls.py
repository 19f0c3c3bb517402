"""How many calls of compiled functions ran what was compiled, and how long each kind took."""

from __future__ import annotations

import threading
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch

from ca_engine import schema
from ca_engine.compat import patches
from ca_engine.trial.values import Sum, total

if TYPE_CHECKING:
    from collections.abc import Iterator

# Times of calls that are kept of each kind.
MAX_TIMES = 10_000
# Calls of which is kept what they gave.
MAX_RESULTS = 10_000


class _OfThread(threading.local):
    """The calls that a thread is in, outermost first: identity, begin, graphs run, compiled."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, float, int, int]] = []
        self.runs = 0
        self.compiles = 0
        # What the last graph of the outermost call gave.
        self.given: Any = None


class CompiledCalls:
    """Count the outermost calls of what `torch.compile` returned, captured backwards too.

    One in which no compiled graph ran was run by Python: under a stance, past the recompile limit,
    or where Dynamo skips the function. The times are of calls in which nothing was compiled.
    """

    def __init__(self) -> None:
        self.graphs = 0
        self._here = _OfThread()
        self._compiled, self._eager = 0, 0
        self._times: tuple[list[float], list[float]] = [], []
        self._results: list[Sum] | None = []

    def watch(self) -> None:
        """Count from now on, until the process ends."""
        patches.watch_compiled_calls(self.changes)
        patches.watch_graphs(self.graph_is_compiled, self.graph_runs, self.graph_gives)

    def graph_is_compiled(self) -> None:
        self.graphs += 1
        self._here.compiles += 1

    def graph_runs(self) -> None:
        self._here.runs += 1

    def graph_gives(self, outputs: Any) -> None:
        here = self._here
        if here.calls and self._results is not None:
            here.given = outputs

    def leave_results(self) -> None:
        """Note no more what calls give: the program runs backwards, whose numbers say more."""
        self._results = None

    def changes(self, call: int, _: int) -> None:
        """Note that ``call`` begins or ends: see `patches.watch_compiled_calls`."""
        here = self._here
        if not here.calls or here.calls[-1][0] != call:
            here.calls.append((call, perf_counter(), here.runs, here.compiles))
            return
        _, begin, runs, compiles = here.calls.pop()
        if here.calls:
            return
        is_eager = here.runs == runs
        if is_eager:
            self._eager += 1
        else:
            self._compiled += 1
        times = self._times[is_eager]
        if here.compiles == compiles and len(times) < MAX_TIMES:
            times.append(perf_counter() - begin)
        given, here.given = here.given, None
        if self._results is not None and len(self._results) < MAX_RESULTS:
            self._results.append(total(_tensors(given), with_zeros=True))

    @property
    def results(self) -> list[Sum]:
        """Return sums over what the last graph of each call gave; of no tensor where none ran."""
        return self._results or []

    def record(self) -> schema.TrialCallsRecord:
        """Return what was counted."""
        compiled, eager = (median(times) if times else None for times in self._times)
        return {
            "compiled": self._compiled,
            "eager": self._eager,
            "compiled_seconds": compiled,
            "eager_seconds": eager,
        }


def _tensors(outputs: Any) -> Iterator[torch.Tensor]:
    """Return the tensors among what a graph gave."""
    every = outputs if isinstance(outputs, (list, tuple)) else (outputs,)
    return (one.detach() for one in every if isinstance(one, torch.Tensor))
