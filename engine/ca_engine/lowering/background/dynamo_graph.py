"""A graph of Dynamo's that runs as ``aot_eager`` does until inductor has compiled it elsewhere.

Forward and backward are swapped together, and a backward belongs to the forward that ran: what
Dynamo calls is the one pair or the other, each whole. So there is nothing that the two must agree
on: not the strides of what is saved, not which of it may be overwritten, not the random numbers.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple
from weakref import WeakSet

import torch

from ca_engine import schema, trace
from ca_engine.compat import dynamo_graphs
from ca_engine.compat.dynamo_graphs import GraphRequest, Moment, NoKeyError, SizeGuards
from ca_engine.lowering.background import dynamo_job
from ca_engine.lowering.background.dynamo_job import CannotSendError, DynamoJob
from ca_engine.lowering.background.worker import (
    CompileAnswer,
    InductorError,
    WorkerError,
)
from ca_engine.lowering.background.workers import Workers, the_workers

Compiled = Callable[..., Any]

# Whether a backward keeps what was saved for it decides what of that it may overwrite, and is not
# known before one runs. After so many calls without one it is compiled to overwrite nothing.
CALLS_WITHOUT_BACKWARD = 4


def compile_graph(asked: GraphRequest) -> Compiled:
    """Compile for Dynamo: now, where that is quick or can't be put off, or later."""
    begin = perf_counter()
    note = Note(dynamo_graphs.compile_id())
    why = dynamo_graphs.setting_in_the_way(asked.options)
    if why is None:
        try:
            return _later(asked, note)
        except (CannotSendError, WorkerError) as error:
            why = str(error)
    compiled = dynamo_graphs.inductor_now(asked)
    note.write("refused", why, own_seconds=perf_counter() - begin)
    return compiled


def _later(asked: GraphRequest, note: Note) -> Compiled:
    """Submit the compile. Raises `CannotSendError` and `WorkerError`."""
    begin = perf_counter()
    try:
        key = dynamo_graphs.key_of(asked)
    except NoKeyError:
        key = None
    if key is not None and dynamo_graphs.is_kept(key):
        compiled = dynamo_graphs.inductor_now(asked)
        note.write("known", own_seconds=perf_counter() - begin)
        return compiled
    workers = the_workers()
    moment = Moment()
    fakes = moment.fakes(asked.inputs)
    job = dynamo_job.describe(asked, fakes, key)
    waiting = _Waiting(asked._replace(inputs=fakes), job, job.pickled(), moment, workers)
    return GraphInBackground(asked, waiting, note)


class _Waiting(NamedTuple):
    """What is let go of once inductor's graph runs.

    ``asked`` has fake inputs. ``data`` is ``job``, pickled for a backward that frees what it gets.
    """

    asked: GraphRequest
    job: DynamoJob
    data: bytes
    moment: Moment
    workers: Workers


class _Guarded:
    """Runs ``compiled`` for the sizes that it serves, ``otherwise`` for others."""

    def __init__(self, compiled: Compiled, sizes: SizeGuards, otherwise: Compiled) -> None:
        self._compiled = compiled
        self._sizes = sizes
        self._otherwise = otherwise

    def __call__(self, *inputs: Any) -> Any:
        run = self._compiled if self._sizes.hold(inputs) else self._otherwise
        return run(*inputs)


class Note:
    """What the records say of one graph of Dynamo's."""

    def __init__(self, graph: str) -> None:
        self._graph = graph

    def write(
        self,
        state: schema.GraphState,
        reason: str | None = None,
        *,
        calls: int = 0,
        waited: float = 0.0,
        own_seconds: float = 0.0,
        answer: CompileAnswer | None = None,
    ) -> None:
        def payload() -> schema.BackgroundRecord:
            return {
                "schema_version": schema.SCHEMA_VERSION,
                "time": time.time(),
                "graph": self._graph,
                "state": state,
                "calls": calls,
                "waited": waited,
                "own_seconds": own_seconds,
                "compile_seconds": None if answer is None else answer.seconds,
                "cache": None if answer is None else answer.cache,
                "reason": reason,
            }

        trace.compact_artifact(schema.BACKGROUND_RECORD, payload)


class GraphInBackground:
    """What Dynamo calls."""

    def __init__(self, asked: GraphRequest, waiting: _Waiting, note: Note) -> None:
        self._began = perf_counter()
        self._calls = 0
        self._own_seconds = 0.0
        self._since = self._began  # of what this call does beside running
        self._note = note
        self._lock = threading.Lock()
        self._number: int | None = None  # of the job, once it is sent
        self._thread_state = dynamo_graphs.thread_state()
        self._waiting: _Waiting | None = waiting
        _graphs.add(self)
        pair = dynamo_graphs.aot_eager(asked, self._backward_begins)
        self._run = pair.compiled
        if not pair.has_backward:
            self._send(frees=True)
        note.write("compiling")

    def __call__(self, *args: Any) -> Any:
        waiting = self._waiting
        # Another thread that calls it meanwhile runs what is there.
        if waiting is not None and self._lock.acquire(blocking=False):
            self._since = perf_counter()
            try:
                if self._waiting is not None:
                    self._advance(self._waiting, args)
                    self._calls += self._waiting is not None
            finally:
                self._own_seconds += perf_counter() - self._since
                self._lock.release()
        return self._run(*args)

    def forked(self) -> None:
        """In a child of a fork: a thread that held the lock is none of this process."""
        self._lock = threading.Lock()

    def _backward_begins(self, keeps: bool | None) -> None:
        """Take the first backward; None of one compiled earlier, to free what it gets."""
        with self._lock:
            if self._number is None:
                self._send(frees=not keeps)

    def _send(self, *, frees: bool) -> None:
        waiting = self._waiting
        assert waiting is not None
        job = replace(waiting.job, frees=frees)
        self._number = waiting.workers.submit(waiting.data if frees else job.pickled())
        self._waiting = waiting._replace(job=job, data=b"")

    def _advance(self, waiting: _Waiting, inputs: Sequence[Any]) -> None:
        if self._number is None:
            if self._calls >= CALLS_WITHOUT_BACKWARD:
                self._send(frees=False)
            return
        # What a program's own settings were when Dynamo asked is what inductor compiles with.
        if dynamo_graphs.thread_state() != self._thread_state:
            return
        answer: CompileAnswer | None = None
        why: str | None = None
        try:
            answer = waiting.workers.result(self._number)
            if answer is None:
                return
        except InductorError as error:
            self._end("failed", str(error))
            return
        except WorkerError as error:
            why = str(error)
        self._swap(waiting, inputs, answer, why)

    def _swap(
        self,
        waiting: _Waiting,
        inputs: Sequence[Any],
        answer: CompileAnswer | None,
        why: str | None,
    ) -> None:
        """Take what inductor compiled out of its cache, or compile it here."""
        moment, asked = waiting.moment, waiting.asked
        # A number that stands for a size is a symbol there.
        given = [
            each if isinstance(each, torch.Tensor) else then
            for each, then in zip(inputs, asked.inputs, strict=True)
        ]

        def compiled_now() -> tuple[Compiled, SizeGuards, bool]:
            waiting.job.take_over_settings()
            before = dynamo_graphs.hits()
            with (
                moment.again(given, asked.inputs),
                moment.noting_sizes(asked.inputs) as sizes,
            ):
                compiled = dynamo_graphs.inductor_now(asked._replace(inputs=given))
            return compiled, sizes, dynamo_graphs.hits() > before

        try:
            if answer is None and waiting.job.with_symbols is not None:
                # What it asks of the sizes is known of a graph that is taken from the cache.
                found = copy_context().run(waiting.job.compile)
                if "compile_error" in found:
                    self._end("failed", found["compile_error"])
                    return
            # In a context of its own, which keeps the settings that are now.
            compiled, sizes, is_hit = copy_context().run(compiled_now)
        except Exception as error:
            # Dynamo would have raised it before the graph ran. Now it has run.
            text = " ".join(str(error).split())
            self._end("failed", f"{type(error).__name__}: {text[:1000]}", answer)
            return
        if moment.has_new_guards() or not sizes.can_be_checked(is_hit=is_hit):
            self._end("failed", "inductor's graph needs a guard that can't be checked", answer)
            return
        if answer is not None and waiting.job.key is not None and not is_hit:
            why = "AOTAutogradCache lost it"
        self._run = compiled if not sizes.positions else _Guarded(compiled, sizes, self._run)
        self._end("ready" if why is None else "waited", why, answer)

    def _end(
        self,
        state: schema.GraphState,
        why: str | None,
        answer: CompileAnswer | None = None,
    ) -> None:
        self._waiting = None
        self._note.write(
            state,
            why,
            calls=self._calls,
            waited=perf_counter() - self._began,
            own_seconds=self._own_seconds + perf_counter() - self._since,
            answer=answer,
        )


_graphs: WeakSet[GraphInBackground] = WeakSet()


def _after_fork() -> None:
    for graph in list(_graphs):
        graph.forked()


os.register_at_fork(after_in_child=_after_fork)
