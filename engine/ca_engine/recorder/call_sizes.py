"""Counts the sizes of the inputs of compiled graphs in all their calls, not only at misses.

A call passes Dynamo's guards in C and then calls the graph. There its sizes are known for next to
nothing: those of a static graph are constants, and the dynamic ones of another are arguments, as
plain numbers. Calls that a recompile limit left to Python run no graph: once a function has as many
graphs as the limit allows, its calls are watched for those (`watch_eager`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from operator import itemgetter
from statistics import median
from threading import get_ident
from time import perf_counter
from types import CodeType
from typing import Any

import torch

from ca_engine import schema, trace
from ca_engine.compat import dynamo, patches
from ca_engine.compat.graph_inputs import Compiled, ObservedGraph, observe_graphs
from ca_engine.recorder.arguments import arguments, code_of, names_of, path_of, value_at
from ca_engine.recorder.core_waits import clock

# Different sets of sizes of one graph that are counted exactly.
MOST_SETS = 4096
# Times of each set that are kept; their median is written.
_TIMES = 16
# Calls of a function that are timed, of all sizes: reading the clock takes some microseconds.
_MOST_TIMED = 4096
# Graphs that are observed, of all functions.
_MOST_GRAPHS = 512
# Leading binary digits that sizes keep once there are too many of them: an error below 0.8%.
_DIGITS = 8
# The counts so far are written after so many seconds; then after twice as many, and so on.
_FIRST_FLUSH = 10.0

# The sizes of a static graph, of any of its arguments.
_NOTHING = itemgetter(slice(0))


class _Counted:
    """Calls with one set of sizes, and times of some of them.

    ``last`` is the latest of them, by the number of the function's calls that ran a graph.
    """

    __slots__ = ("calls", "has_room", "last", "seconds", "steps")

    def __init__(self) -> None:
        self.calls = 0
        self.last = 0
        self.has_room = True
        self.steps: list[float] = []
        self.seconds: list[float] = []

    def add_step(self, seconds: float) -> None:
        self.steps.append(seconds)
        self.has_room = len(self.steps) < _TIMES


class _Function:
    """The latest call of a function, whichever of its graphs ran: with which sizes, and when.

    ``runs`` counts the calls that ran a graph, ``graphs`` the graphs. ``left`` calls may still be
    timed. ``eager`` are the calls that ran none.
    """

    __slots__ = ("began", "eager", "graphs", "latest", "left", "runs")

    def __init__(self) -> None:
        self.latest: _Counted | None = None
        self.began = 0.0
        self.runs = 0
        self.graphs = 0
        self.left = _MOST_TIMED
        self.eager: CountedGraph | None = None

    def begins(self, counted: _Counted | None, began: float) -> None:
        """Note that a call began, by `clock`, which ends the step of the latest one."""
        if self.latest is not None and self.latest.has_room:
            self.latest.add_step(began - self.began)
        self.latest = counted if counted is not None and counted.has_room else None
        self.began = began


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
        self.first_call: int | None = None
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
            into.last = max(into.last, found.last)
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
            "first_call": self.first_call,
            "last_call": None if self.first_call is None else self._last_call(),
        }

    def _last_call(self) -> int:
        return max(found.last for found in (*self.counted.values(), self._spare))


class CallSizes:
    """Count the sizes of each graph that Dynamo compiles from now on; write them now and then.

    ``before`` is called before they are written.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._graphs: dict[str, CountedGraph] = {}
        self._functions: dict[str, _Function] = {}
        self._stop: Callable[[], None] | None = None
        # Functions that have as many graphs as they may, by their code; and how to watch no more.
        self._at_limit: dict[CodeType, tuple[_Function, ObservedGraph]] = {}
        self._unwatch: Callable[[], None] | None = None
        # Of each thread the outermost call, its function, how often that ran, and when it began.
        self._open: dict[int, tuple[int, _Function | None, int, float]] = {}
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
            function.eager = None
        self._pause = _FIRST_FLUSH
        self._flush_at = perf_counter() + _FIRST_FLUSH

    def stop(self) -> None:
        """Graphs that were compiled until now run uncounted."""
        self.forget()
        if self._stop is not None:
            self._stop()
            self._stop = None
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
            self._at_limit.clear()

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
        function.graphs += 1
        self._watch_at_limit(function, inputs)
        add, get = graph.add, graph.counted.get
        pick = itemgetter(*inputs.positions.values()) if inputs.positions else _NOTHING
        is_first = True

        def run(*args: Any) -> Any:
            counted = get(pick(args))
            if counted is None:
                return run_new(args)
            counted.calls += 1
            function.runs = counted.last = function.runs + 1
            if (counted.has_room or function.latest is not None) and function.left:
                return run_timed(args, counted)
            if perf_counter() > self._flush_at:
                self.flush()
            return made(*args)

        def run_timed(args: tuple[Any, ...], counted: _Counted) -> Any:
            function.left -= 1
            began = clock()
            function.begins(counted, began)
            if perf_counter() > self._flush_at:
                self.flush()
            if len(counted.seconds) >= _TIMES:
                return made(*args)
            result = made(*args)
            counted.seconds.append(clock() - began)
            return result

        def run_new(args: tuple[Any, ...]) -> Any:
            nonlocal is_first
            if not self.is_on:
                return made(*args)
            counted = add(pick(args))
            counted.calls += 1
            function.runs = counted.last = function.runs + 1
            graph.first_call = graph.first_call or function.runs
            # The backward of a new graph may be compiled in its first step.
            function.begins(None if is_first else counted, clock())
            is_first = False
            return made(*args)

        return run

    def _watch_at_limit(self, function: _Function, inputs: ObservedGraph) -> None:
        limit = dynamo.recompile_limit()
        if inputs.code is None or limit is None or function.graphs < limit:
            return
        self._at_limit[inputs.code] = function, inputs
        if self._unwatch is None:
            self._unwatch = patches.watch_compiled_calls(self.watch_eager)

    def watch_eager(self, call: int, callback: int) -> None:
        """Count a call that ran no graph: see `patches.watch_compiled_calls`."""
        thread = get_ident()
        outermost = self._open.get(thread)
        if outermost is None:
            if not callback:
                return  # the end of the call in which the last graph was compiled
            code, _ = code_of(patches.watched_call()[0])
            function = self._at_limit[code][0] if code in self._at_limit else None
            runs, began = (0, 0.0) if function is None else (function.runs, clock())
            self._open[thread] = call, function, runs, began
            return
        opened, function, runs, began = outermost
        if opened != call:
            return
        del self._open[thread]
        if function is not None and function.runs == runs and self.is_on:
            called, args, kwargs = patches.watched_call()
            try:
                self._count_eager(function, began, called, args, kwargs)
            except Exception:
                # What is in an argument may be code of the user's, which must not fail for us.
                return

    def _count_eager(
        self,
        function: _Function,
        began: float,
        called: Any,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        code, is_bound = code_of(called)
        assert code is not None
        given = arguments(names_of(code, is_bound=is_bound), args, kwargs)
        is_first = function.eager is None
        if function.eager is None:
            function.eager = _of_eager(self._at_limit[code][1], given)
            self._graphs[function.eager.inputs.compile_id] = function.eager
        graph = function.eager
        sizes = [_shape(name, given) for name in graph.inputs.shapes]
        if any(
            shape is None or len(shape) != len(known)
            for shape, known in zip(sizes, graph.inputs.shapes.values(), strict=True)
        ):
            return
        every = tuple(size for shape in sizes if shape is not None for size in shape)
        key = every[0] if len(every) == 1 else every
        counted = graph.counted.get(key) or graph.add(key)
        counted.calls += 1
        # In the first one Dynamo still tried to compile.
        function.begins(None if is_first else counted, began)
        if not is_first and len(counted.seconds) < _TIMES:
            counted.seconds.append(clock() - began)
        if perf_counter() > self._flush_at:
            self.flush()


def _of_eager(inputs: ObservedGraph, given: Mapping[str, Any]) -> CountedGraph:
    """Return what counts calls of Python: of any size in each dimension of each tensor."""
    shapes: dict[str, tuple[int | str, ...]] = {}
    positions: dict[str, int] = {}
    for name in inputs.shapes:
        shape = _shape(name, given)
        if shape is None:
            continue
        symbols = tuple(f"d{len(positions) + at}" for at in range(len(shape)))
        positions.update((symbol, len(positions)) for symbol in symbols)
        shapes[name] = symbols
    code = inputs.compile_id.rpartition("/")[0]
    return CountedGraph(ObservedGraph(f"{code}/{schema.EAGER_GRAPH}", shapes, positions))


def _shape(name: str, given: Mapping[str, Any]) -> tuple[int, ...] | None:
    found = value_at(given, path_of(name))
    return tuple(map(int, found.shape)) if isinstance(found, torch.Tensor) else None


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
