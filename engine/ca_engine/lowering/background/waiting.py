"""A captured graph on its way to being compiled in another process.

Nothing of it may hold up the training for long, so each backward does a bit, for as long as the
backward itself takes: guards, the ATen graph, and what an earlier start compiled of it; if that is
nothing, the start of the other process, the job for it, once it has imported torch, and in the end
what it compiled. The backward that missed, which has waited for the capture, does nothing of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import fx

from ca_engine import schema
from ca_engine.compat import inductor_cache, tracing
from ca_engine.lowering import backends
from ca_engine.lowering.assemble import AtenGraph, assemble_by_parts
from ca_engine.lowering.backends import CompiledAten
from ca_engine.lowering.background.job import gpu_of, job_by_parts
from ca_engine.lowering.background.worker import CompileAnswer, WorkerError
from ca_engine.lowering.background.workers import refuse_gpu, the_workers
from ca_engine.lowering.guards import Guards
from ca_engine.lowering.known_graphs import KnownGraph
from ca_engine.lowering.level2 import Level2, refuse_by_grads
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.sizes import graph_with_sizes
from ca_engine.lowering.templates import Templates

_LEAST_SECONDS = 5e-3  # of work beside a backward that is shorter


class _Pause(Enum):
    """A point at which the work may stop until the next backward."""

    REST = "there is more to do"
    WAIT = "nothing can be done yet"


class Waiting:
    """``backwards`` ran as captured since it ``began``; it took ``seconds`` of this process.

    ``sizes`` has an item for each size that the captured graph takes. ``compiled`` is what is known
    of the compiled graph once there is one. Raises `WorkerError`.
    """

    def __init__(self, captured: fx.Graph, compiler: KnownCompiler, sizes: Sequence[int]) -> None:
        self.began = perf_counter()
        self.seconds = 0.0
        self.backwards = 1
        self.compiled: CompileAnswer | None = None
        if not inductor_cache.cache_is_on(compiler.options):
            raise WorkerError("FxGraphCache is off, through which the other process hands it over")
        self._compiler = compiler
        self._modes = tracing.modes_of_tracing()
        self._guards: Guards | None = None
        self._inputs: list[torch.Tensor] = []  # during `advance` only, or they stay in memory
        self._until = 0.0
        self._work = self._steps(captured, sizes)

    def advance(self, inputs: list[torch.Tensor], seconds: float) -> Level2 | None:
        """Do a bit, for about ``seconds``; return the compiled graph once it is there.

        ``inputs`` are those of the backward that is about to run. Raises `RefusalError` if
        the graph can't be lowered to ATen, and `WorkerError` if it can't be compiled there.
        """
        found = None
        if self._is_for(inputs):
            begin = perf_counter()
            self._inputs, self._until = inputs, begin + max(seconds, _LEAST_SECONDS)
            try:
                found = self._advance()
            finally:
                self._inputs = []
                self.seconds += perf_counter() - begin
        if found is None:
            self.backwards += 1
        return found

    def _is_for(self, inputs: list[torch.Tensor]) -> bool:
        """Return whether ``inputs`` and global state are those that the work began with."""
        return tracing.modes_of_tracing() == self._modes and (
            self._guards is None or self._guards.hold(inputs)
        )

    def _advance(self) -> Level2 | None:
        for done in self._work:
            if isinstance(done, Level2):
                return done
            if done is _Pause.WAIT or perf_counter() > self._until:
                return None
        raise AssertionError("the compiled graph comes last")

    def _steps(self, captured: fx.Graph, sizes: Sequence[int]) -> Iterator[_Pause | Level2]:
        self._guards = Guards(self._inputs, ())
        yield _Pause.REST
        templates = backends.BACKENDS["inductor"].templates(self._compiler)
        yield _Pause.REST
        if sizes:
            captured = graph_with_sizes(captured, sizes)
            yield _Pause.REST
        parameters = backends.parameters(self._inputs)
        parts = assemble_by_parts(captured, self._inputs, templates)
        while (aten := self._assembled(parts, templates)) is None:
            yield _Pause.REST
        refuse_by_grads(self._inputs, aten)
        self._guards = guards = Guards(self._inputs, aten.changed)
        yield _Pause.REST
        known = KnownGraph(aten, self._compiler, templates, parameters)
        for _ in known.name_by_parts():
            yield _Pause.REST
        compiled = None
        if (key := known.key()) is not None:
            # What can't be loaded is compiled again, which says why it can't.
            with suppress(Exception):
                compiled = yield from self._loaded(CompileAnswer(key, "hit", None), aten, templates)
        if compiled is None:
            self.compiled = None
            done = yield from self._compiled_there(aten, parameters)
            compiled = yield from self._loaded(done, aten, templates)
            known.remember(compiled)
        yield Level2(aten, guards, compiled)

    def _compiled_there(
        self, aten: AtenGraph, parameters: Sequence[int]
    ) -> Generator[_Pause, None, CompileAnswer]:
        """Leave it to the other process."""
        if (gpu := gpu_of(aten.fakes)) is not None:
            refuse_gpu(gpu, self._compiler.options)
        workers = the_workers()
        yield _Pause.REST
        while not workers.is_ready():
            yield _Pause.WAIT
        job = bytearray()
        try:
            for part in job_by_parts(aten, self._compiler, parameters):
                job += part
                yield _Pause.REST
        except Exception as error:
            # Whatever a setting's own pickling raises.
            raise WorkerError(f"can't be sent: {type(error).__name__}: {error}") from error
        number = workers.submit(bytes(job))
        while (done := workers.result(number)) is None:
            yield _Pause.WAIT
        return done

    def _loaded(
        self, done: CompileAnswer, aten: AtenGraph, templates: Templates
    ) -> Generator[_Pause, None, CompiledAten]:
        """Take it out of the cache."""
        self.compiled = done
        loading = _Loading(done, aten, templates, self._compiler)
        while not loading.is_done():
            yield _Pause.WAIT
        return loading.result()

    def _assembled(
        self, parts: Iterator[AtenGraph | None], templates: Templates
    ) -> AtenGraph | None:
        with templates.in_use():
            for found in parts:
                if found is not None or perf_counter() > self._until:
                    return found
        raise AssertionError("the graph comes last")


def refused_background(why: str) -> schema.LoweringBackground:
    """Describe a graph that was never sent, for its record."""
    return {
        "state": "failed",
        "backwards": 0,
        "waited": 0.0,
        "own_seconds": 0.0,
        "compile_seconds": None,
        "reason": why,
    }


class _Loading(threading.Thread):
    """Takes a compiled graph out of the cache.

    A thread, because much of it is reading files and waiting for compilers that are asked for
    their version.
    """

    def __init__(
        self, done: CompileAnswer, aten: AtenGraph, templates: Templates, compiler: KnownCompiler
    ) -> None:
        super().__init__(name="ca-load-compiled", daemon=True)
        self._load = partial(
            inductor_cache.load_compiled,
            done.key,
            aten.fakes,
            templates.fake_mode,
            compiler.options,
            compiler.region_name,
        )
        self._loaded: Callable[..., Any] | None = None
        self._error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._loaded = self._load()
        except Exception as error:
            self._error = error

    def is_done(self) -> bool:
        return not self.is_alive()

    def result(self) -> Callable[..., Any]:
        """Return the result. Raises what loading raised, and `WorkerError` if the cache lost it."""
        if self._error is not None:
            raise self._error
        if self._loaded is None:
            raise WorkerError("FxGraphCache lost it")
        return self._loaded
