"""A captured graph on its way to being compiled in another process.

Nothing of it may hold up the training for long, so each backward does a bit: the ATen graph is put
together for as long as the backward itself takes, then sent once the other process has imported
torch, then asked for, then loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import fx

from ca_engine import schema
from ca_engine.compat import inductor_cache, tracing
from ca_engine.lowering import backends
from ca_engine.lowering.assemble import AtenGraph, assemble_by_parts
from ca_engine.lowering.background.job import job_of
from ca_engine.lowering.background.worker import Compiled, WorkerError, the_worker
from ca_engine.lowering.guards import Guards
from ca_engine.lowering.level2 import Level2, refuse_by_grads
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.templates import Templates

_LEAST_SECONDS = 5e-3  # for putting together, beside a backward that is shorter


class Waiting:
    """``backwards`` ran as captured since it ``began``; it took ``seconds`` of this process.

    ``compiled`` is what the other process said once it was done. Raises `RefusalError` and
    `WorkerError`.
    """

    def __init__(
        self, captured: fx.Graph, compiler: KnownCompiler, inputs: list[torch.Tensor]
    ) -> None:
        self.began = perf_counter()
        self.seconds = 0.0
        self.backwards = 1
        self.compiled: Compiled | None = None
        if not inductor_cache.cache_is_on(compiler.options):
            raise WorkerError("FxGraphCache is off, through which the other process hands it over")
        self._compiler = compiler
        self._templates = backends.BACKENDS["inductor"].templates(compiler)
        self._parameters = backends.parameters(inputs)
        self._guards = Guards(inputs, ())
        self._modes = tracing.modes_of_tracing()
        self._worker = the_worker()
        self._parts = assemble_by_parts(captured, inputs, self._templates)
        self._aten: AtenGraph | None = None
        self._job: int | None = None
        self._loading: _Loading | None = None

    def advance(self, inputs: list[torch.Tensor], seconds: float) -> Level2 | None:
        """Do a bit, for about ``seconds``; return the compiled graph once it is there.

        ``inputs`` are those of the backward that is about to run. Raises `RefusalError` if
        the graph can't be lowered to ATen, and `WorkerError` if it can't be compiled there.
        """
        found = None
        if self._is_for(inputs):
            begin = perf_counter()
            try:
                found = self._advance(inputs, begin + max(seconds, _LEAST_SECONDS))
            finally:
                self.seconds += perf_counter() - begin
        if found is None:
            self.backwards += 1
        return found

    def _is_for(self, inputs: list[torch.Tensor]) -> bool:
        """Return whether ``inputs`` and global state are those that the graph was captured for."""
        return self._guards.hold(inputs) and tracing.modes_of_tracing() == self._modes

    def _advance(self, inputs: list[torch.Tensor], until: float) -> Level2 | None:
        if self._aten is None:
            self._aten = self._assemble(until)
            if self._aten is not None:
                refuse_by_grads(inputs, self._aten)
                self._guards = Guards(inputs, self._aten.changed)
        elif self._job is None:
            if self._worker.is_ready():
                self._job = self._worker.submit(self._made(self._aten))
        else:
            if self.compiled is None:
                self.compiled = self._worker.result(self._job)
                if self.compiled is not None:
                    self._loading = _Loading(
                        self.compiled, self._aten, self._templates, self._compiler
                    )
            if self._loading is not None and self._loading.is_done():
                return Level2(self._aten, self._guards, self._loading.result())
        return None

    def _assemble(self, until: float) -> AtenGraph | None:
        with self._templates.in_use():
            for found in self._parts:
                if found is not None or perf_counter() > until:
                    return found
        raise AssertionError("the last part is the graph")

    def _made(self, aten: AtenGraph) -> bytes:
        try:
            return job_of(aten, self._compiler, self._parameters)
        except Exception as error:
            # Whatever a setting's own pickling raises.
            raise WorkerError(f"can't be sent: {type(error).__name__}: {error}") from error


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

    That is some ten milliseconds, and seconds the first time: inductor then asks compilers which
    vector instructions there are. A thread, because most of it is waiting for other processes.
    """

    def __init__(
        self, done: Compiled, aten: AtenGraph, templates: Templates, compiler: KnownCompiler
    ) -> None:
        super().__init__(name="ca-load-compiled", daemon=True)
        self._load = partial(
            inductor_cache.load_compiled,
            done.key,
            aten.fakes,
            templates.fake_mode,
            compiler.options,
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
        """Raises what loading raised, and `WorkerError` if the cache has lost it meanwhile."""
        if self._error is not None:
            raise self._error
        if self._loaded is None:
            raise WorkerError("FxGraphCache lost it")
        return self._loaded
