"""How many calls of compiled functions ran what was compiled, and how long each kind took."""

from __future__ import annotations

import threading
from statistics import median
from time import perf_counter

from ca_engine import schema
from ca_engine.compat import patches

# Times of calls that are kept of each kind.
MAX_TIMES = 10_000


class _OfThread(threading.local):
    """The calls that a thread is in, outermost first: identity, begin, graphs run, compiled."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, float, int, int]] = []
        self.runs = 0
        self.compiles = 0


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

    def watch(self) -> None:
        """Count from now on, until the process ends."""
        patches.watch_compiled_calls(self.changes)
        patches.watch_graphs(self.graph_is_compiled, self.graph_runs)

    def graph_is_compiled(self) -> None:
        self.graphs += 1
        self._here.compiles += 1

    def graph_runs(self) -> None:
        self._here.runs += 1

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

    def record(self) -> schema.TrialCallsRecord:
        """Return what was counted."""
        compiled, eager = (median(times) if times else None for times in self._times)
        return {
            "compiled": self._compiled,
            "eager": self._eager,
            "compiled_seconds": compiled,
            "eager_seconds": eager,
        }
