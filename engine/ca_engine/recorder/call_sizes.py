"""Counts the sizes of the inputs of compiled graphs in all their calls, not only at misses.

A call passes Dynamo's guards in C and then calls the graph. There its sizes are known for next to
nothing: those of a static graph are constants, and the dynamic ones of another are arguments, as
plain numbers. Calls that a recompile limit left to Python run no graph, and are not seen here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from operator import itemgetter
from statistics import median
from time import perf_counter
from typing import Any

from ca_engine import schema, trace
from ca_engine.compat.graph_inputs import Compiled, ObservedGraph, observe_graphs

# Different sets of sizes of one graph that are counted exactly.
MOST_SETS = 4096
# Times of each set that are kept; their median is written.
_TIMES = 16
# Graphs that are observed, of all functions.
_MOST_GRAPHS = 512
# Leading binary digits that sizes keep once there are too many of them: an error below 0.8%.
_DIGITS = 8
# The counts so far are written after so many seconds; then after twice as many, and so on.
_FIRST_FLUSH = 10.0

# The sizes of a static graph, of any of its arguments.
_NOTHING = itemgetter(slice(0))


class _Counted:
    """Calls with one set of sizes, and times of some of them."""

    __slots__ = ("calls", "has_room", "seconds", "steps")

    def __init__(self) -> None:
        self.calls = 0
        self.has_room = True
        self.steps: list[float] = []
        self.seconds: list[float] = []

    def add_step(self, seconds: float) -> None:
        self.steps.append(seconds)
        self.has_room = len(self.steps) < _TIMES


class _Function:
    """The latest call of a function, whichever of its graphs ran: with which sizes, and when."""

    __slots__ = ("began", "latest")

    def __init__(self) -> None:
        self.latest: _Counted | None = None
        self.began = 0.0


class CountedGraph:
    """The sizes that one graph was called with."""

    def __init__(self, inputs: ObservedGraph) -> None:
        self.inputs = inputs
        self.symbols = tuple(inputs.positions)
        # By the value of the only symbol, else by those of all. The graph's calls hold it.
        self.counted: dict[Any, _Counted] = {}
        self.forget()

    def forget(self) -> None:
        self.counted.clear()
        self.digits: int | None = None
        self.left_out = 0
        self._spare = _Counted()
        self._written = 0

    def has_news(self) -> bool:
        """Return whether it was called since this was last asked."""
        calls = sum(found.calls for found in self.counted.values()) + self.left_out
        before, self._written = self._written, calls
        return calls != before

    def add(self, key: Any) -> _Counted:
        """Return what counts for sizes that have not been seen, or were rounded."""
        if self.digits is None and len(self.counted) < MOST_SETS:
            found = self.counted[key] = _Counted()
            return found
        if self.digits is None:
            self._round(_DIGITS)
        assert self.digits is not None
        while (rounded := _rounded(key, self.digits)) not in self.counted:
            if len(self.counted) < MOST_SETS:
                self.counted[rounded] = _Counted()
            elif self.digits > 1:
                self._round(self.digits - 1)
            else:
                self.left_out += 1
                return self._spare
        return self.counted[rounded]

    def _round(self, digits: int) -> None:
        self.digits = digits
        counted: dict[Any, _Counted] = {}
        for key, found in self.counted.items():
            into = counted.setdefault(_rounded(key, digits), _Counted())
            into.calls += found.calls
            into.steps = (into.steps + found.steps)[:_TIMES]
            into.seconds = (into.seconds + found.seconds)[:_TIMES]
            into.has_room = len(into.steps) < _TIMES
        self.counted.clear()
        self.counted.update(counted)

    def record(self) -> schema.SizesRecord:
        """Return all that was counted so far."""
        counted = list(self.counted.items())
        return {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "graph": self.inputs.compile_id,
            "inputs": {name: list(shape) for name, shape in self.inputs.shapes.items()},
            "symbols": list(self.symbols),
            "sizes": [list(key) if type(key) is tuple else [key] for key, _ in counted],
            "calls": [found.calls for _, found in counted],
            "steps": [_median(found.steps) for _, found in counted],
            "seconds": [_median(found.seconds) for _, found in counted],
            "digits": self.digits,
            "left_out": self.left_out,
        }


class CallSizes:
    """Count the sizes of each graph that Dynamo compiles from now on; write them now and then.

    ``before`` is called before they are written.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._graphs: dict[str, CountedGraph] = {}
        self._functions: dict[str, _Function] = {}
        self._stop: Callable[[], None] | None = None
        self.forget()

    def begin_again(self, *, on: bool) -> None:
        """Forget what was counted; count from now on if ``on``."""
        self.forget()
        self.is_on = on
        if on and self._stop is None:
            self._stop = observe_graphs(self.compiles, self.observe)

    def forget(self) -> None:
        self.is_on = False
        for graph in self._graphs.values():
            graph.forget()
        for function in self._functions.values():
            function.latest = None
        self._pause = _FIRST_FLUSH
        self._flush_at = perf_counter() + _FIRST_FLUSH

    def stop(self) -> None:
        """Graphs that were compiled until now run uncounted."""
        self.forget()
        if self._stop is not None:
            self._stop()
            self._stop = None

    def flush(self) -> None:
        """Write what was counted so far: a later record of a graph replaces the earlier one."""
        self._pause *= 2
        self._flush_at = perf_counter() + self._pause
        if not trace.is_listening():
            return
        graphs = [graph for graph in self._graphs.values() if graph.has_news()]
        if not graphs:
            return
        self._before()
        for graph in graphs:
            trace.compact_artifact(schema.SIZES_RECORD, graph.record)

    def compiles(self) -> None:
        """Note that something is compiled in the steps that go on now: they tell no time."""
        for function in self._functions.values():
            function.latest = None

    def observe(self, inputs: ObservedGraph, made: Compiled) -> Compiled:
        """Return ``made``, a compiled graph, with the sizes of each call counted."""
        if not self.is_on or not trace.is_listening() or len(self._graphs) >= _MOST_GRAPHS:
            return made
        graph = self._graphs[inputs.compile_id] = CountedGraph(inputs)
        code = inputs.compile_id.rpartition("/")[0]
        function = self._functions.setdefault(code, _Function())
        add, get = graph.add, graph.counted.get
        pick = itemgetter(*inputs.positions.values()) if inputs.positions else _NOTHING
        is_first = True

        def run(*args: Any) -> Any:
            began = perf_counter()
            counted = get(pick(args))
            if counted is None:
                return run_new(args)
            counted.calls += 1
            latest = function.latest
            if latest is not None and latest.has_room:
                latest.add_step(began - function.began)
            function.latest = counted
            function.began = began
            if began > self._flush_at:
                self.flush()
            if not counted.has_room:
                return made(*args)
            result = made(*args)
            if len(counted.seconds) < _TIMES:
                counted.seconds.append(perf_counter() - began)
            return result

        def run_new(args: tuple[Any, ...]) -> Any:
            nonlocal is_first
            if not self.is_on:
                return made(*args)
            counted = add(pick(args))
            counted.calls += 1
            began, latest = perf_counter(), function.latest
            if latest is not None and latest.has_room:
                latest.add_step(began - function.began)
            # The backward of a new graph may be compiled in its first step.
            function.latest = None if is_first else counted
            function.began = began
            is_first = False
            return made(*args)

        return run


def _rounded(key: Any, digits: int) -> Any:
    """Return sizes rounded up to ``digits`` leading binary digits."""
    if type(key) is tuple:
        return tuple(_round_up(size, digits) for size in key)
    return _round_up(key, digits)


def _round_up(size: int, digits: int) -> int:
    shift = size.bit_length() - digits
    return size if shift <= 0 else ((size + (1 << shift) - 1) >> shift) << shift


def _median(times: list[float]) -> float | None:
    return round(median(times), 7) if times else None
