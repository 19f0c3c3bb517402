"""What C++ runs in place of the compiler function's result, for a graph that may be lowered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import fx

from ca_engine import schema, trace
from ca_engine.compat import compile_session, torch_compile
from ca_engine.lowering.backends import CacheUse, noting_cache
from ca_engine.lowering.check import CheckedWay
from ca_engine.lowering.conditions import refuse_by_inputs, refuse_by_world
from ca_engine.lowering.contents import look_through
from ca_engine.lowering.direct import Direct
from ca_engine.lowering.level1 import Level1
from ca_engine.lowering.level2 import Level2
from ca_engine.lowering.modes import Mode
from ca_engine.lowering.recognise import KnownCompiler, recognise
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.ways import Session, Way
from ca_engine.runtime import CompiledBackward

# What AOTAutograd can do and templates can't.
LEFT_TO_LEVEL_1 = frozenset(
    {
        "grad_form",
        "grad_is_read",
        "output_alias",
        "changes_a_tensor",
        "changes_metadata",
        "late_view",
        "undefined_gradient",
    }
)


class LoweredBackward:
    """A captured graph that is lowered when it first runs, as Dynamo compiles it then.

    Until then there are no inputs to look at. Whatever goes wrong in lowering happens before
    anything ran, and leaves ``compiled``, which runs also wherever a guard fails.
    """

    def __init__(
        self, module: fx.GraphModule, compiled: CompiledBackward, capture: int, mode: Mode
    ) -> None:
        self._module: fx.GraphModule | None = module
        self._compiled = compiled
        self._capture = capture
        self._mode = mode
        self._way: Way | None = None
        self._left_to_level_1: RefusalError | None = None
        self._cache = CacheUse()
        self._has_failed = False

    def __call__(
        self,
        inputs: list[torch.Tensor],
        sizes: Sequence[Any],
        scalars: Sequence[int | float],
        hooks: Sequence[Any],
        packed_data: Sequence[Any],
    ) -> Sequence[Any]:
        # A stance asks for eager code, or for an error where something would be compiled.
        if torch_compile.stance_is_default():
            if self._module is not None:
                self._decide(inputs, hooks)
            way = self._way
            if way is not None:
                if way.admits(inputs):
                    return way.run(inputs, sizes, scalars, hooks, packed_data)
                self._guard_failed(way, inputs)
        return self._compiled(inputs, sizes, scalars, hooks, packed_data)

    def _decide(self, inputs: list[torch.Tensor], hooks: Sequence[Any]) -> None:
        module, self._module = self._module, None
        assert module is not None
        begin = perf_counter()

        def session() -> AbstractContextManager[None]:
            return compile_session.compile_session(module, perf_counter() - begin)

        compiler = None
        refusal = None
        try:
            compiler = recognise(module, self._compiled)
            self._way = self._find_way(module, compiler, inputs, hooks, session)
        except RefusalError as refused:
            refusal = refused
        except Exception as error:
            # Nothing ran, so the ordinary way is still open; the record says what happened.
            refusal = RefusalError("error", f"{type(error).__name__}: {error}")
        self._record(compiler, refusal, perf_counter() - begin)

    def _guard_failed(self, way: Way, inputs: list[torch.Tensor]) -> None:
        """The first time is told: Dynamo compiles this graph after all."""
        if not self._has_failed:
            self._has_failed = True
            self._record(None, RefusalError("guard", way.failed(inputs)), 0.0)

    def _find_way(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        inputs: list[torch.Tensor],
        hooks: Sequence[Any],
        session: Session,
    ) -> Way:
        contents = look_through(module.graph, hooks)
        make: Callable[[], Way]
        if compiler.backend == "eager":
            make = partial(Direct, module, compiler, contents, session)
        elif self._mode is Mode.DIRECT:
            raise RefusalError("not_asked_for", compiler.backend)
        else:
            refuse_by_world(compiler, contents)
            refuse_by_inputs(inputs)
            make = partial(self._to_backend, module, compiler, inputs, session)
        if self._mode is Mode.CHECK:
            return CheckedWay(make, compiler.backend, contents, self._compiled, self._capture)
        return make()

    def _to_backend(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        inputs: list[torch.Tensor],
        session: Session,
    ) -> Way:
        with noting_cache(compiler.backend) as self._cache:
            if self._mode is Mode.L1:
                return Level1(module, compiler, inputs, session)
            try:
                return Level2(module, compiler, inputs, session)
            except RefusalError as refused:
                if self._mode is Mode.L2 or refused.reason not in LEFT_TO_LEVEL_1:
                    raise
                self._left_to_level_1 = refused
                return Level1(module, compiler, inputs, session)

    def _record(
        self, compiler: KnownCompiler | None, refusal: RefusalError | None, seconds: float
    ) -> None:
        way = self._way
        is_lowered = refusal is None and way is not None
        why = self._left_to_level_1 if is_lowered else refusal

        def payload() -> schema.LoweringRecord:
            return {
                "schema_version": schema.SCHEMA_VERSION,
                "time": time.time(),
                "capture": self._capture,
                "way": way.name if is_lowered and way is not None else "no",
                "backend": None if compiler is None else compiler.backend,
                "seconds": seconds,
                "cache": self._cache.use if is_lowered else None,
                "cache_reason": self._cache.reason if is_lowered else None,
                "reason": None if why is None else why.reason,
                "detail": None if why is None else why.detail,
                "file": None if why is None else why.file,
                "line": None if why is None else why.line,
            }

        trace.compact_artifact(schema.LOWERING_RECORD, payload, capture=self._capture)
