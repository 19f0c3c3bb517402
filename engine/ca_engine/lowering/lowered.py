"""Runs in place of the compiler function's result, for a graph that may be lowered."""

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
from ca_engine.code_later import compile_code
from ca_engine.compat import ambient, compile_session, dynamo, torch_compile
from ca_engine.lowering.backends import CacheUse, noting_cache
from ca_engine.lowering.check import CheckedWay
from ca_engine.lowering.conditions import refuse_by_inputs, refuse_by_sizes, refuse_by_world
from ca_engine.lowering.contents import Contents, look_through
from ca_engine.lowering.direct import Direct
from ca_engine.lowering.grad_inputs import with_grads
from ca_engine.lowering.level1 import Level1
from ca_engine.lowering.level2 import Level2
from ca_engine.lowering.modes import Mode
from ca_engine.lowering.recognise import KnownCompiler, recognise
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.sizes import with_sizes
from ca_engine.lowering.ways import Session, Way
from ca_engine.recorder import core_waits
from ca_engine.runtime import CompiledBackward, as_dynamic

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
    anything ran, and leaves ``compiled``, which runs also wherever a guard fails. A graph that
    takes sizes is lowered for each set of them that comes, up to
    `schema.MOST_LOWERED_SIZES`; ``compiled`` runs for the others.
    """

    def __init__(
        self,
        module: fx.GraphModule,
        compiled: CompiledBackward,
        compiler_fn: Callable[[fx.GraphModule], CompiledBackward],
        capture: int,
        mode: Mode,
        *,
        in_background: bool = False,
    ) -> None:
        self._module: fx.GraphModule | None = module  # while it may be lowered
        self._compiled = compiled
        self._compiler_fn = compiler_fn
        self._capture = capture
        self._mode = mode
        self._in_background = in_background
        self._background: schema.LoweringBackground | None = None
        # Its own for the sizes that it was lowered for; `Direct` for all.
        self._ways: dict[tuple[int, ...], Way] = {}
        # For inputs that share memory in another way than those that it was lowered for first, by
        # sizes and form
        self._ways_by_memory: dict[tuple[Any, ...], Way | None] = {}
        self._way_for_all: Way | None = None
        self._frame_state: dict[str, Any] = {}
        # Shapes of the inputs that the first of them was lowered for, and what was different since:
        # position of an input, dimension
        self._shapes: list[torch.Size] = []
        self._changing: set[tuple[int, int]] = set()
        self._left_to_level_1: RefusalError | None = None
        self._cache = CacheUse()
        self._has_failed = False

    def __call__(
        self,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        scalars: Sequence[int | float],
        hooks: Sequence[Any],
        packed_data: Sequence[Any],
    ) -> Sequence[Any]:
        # A stance asks for eager code, or for an error where something would be compiled.
        if torch_compile.stance_is_default():
            way = self._way_for_all or self._ways.get(tuple(sizes))
            if way is None and self._module is not None:
                way = self._decide(self._module, inputs, sizes, hooks)
            if way is not None:
                if way.admits(inputs):
                    return way.run(inputs, sizes, scalars, hooks, packed_data)
                other = self._way_for_memory(way, inputs, sizes, hooks)
                if other is not None:
                    return other.run(inputs, sizes, scalars, hooks, packed_data)
                self._guard_failed(way, inputs)
            elif self._changing:
                changing, self._changing = self._changing, set()
                with dynamo.dims_may_change(inputs, changing):
                    return self._run_compiled(inputs, sizes, scalars, hooks, packed_data)
        return self._run_compiled(inputs, sizes, scalars, hooks, packed_data)

    def _run_compiled(
        self, inputs: list[torch.Tensor], sizes: Sequence[int], *rest: Sequence[Any]
    ) -> Sequence[Any]:
        """Run what ``compiler_fn`` returned: Dynamo must see the captured code."""
        if self._module is not None:
            compile_code(self._module)
        return self._compiled(inputs, as_dynamic(sizes), *rest)

    def _decide(
        self,
        module: fx.GraphModule,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        hooks: Sequence[Any],
    ) -> Way | None:
        with dynamo.without_dynamo():
            way, compiler = self._lower(module, inputs, sizes, hooks)
        if way is None:
            compile_code(module)
            self._module = None
        elif compiler is not None and compiler.backend == "eager":
            self._way_for_all, self._module = way, None
        else:
            self._ways[tuple(sizes)] = way
        return way

    def _lower(
        self,
        module: fx.GraphModule,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        hooks: Sequence[Any],
    ) -> tuple[Way | None, KnownCompiler | None]:
        """Lower it for such inputs, None if that is refused; record either."""
        waiting = core_waits.begun()
        begin = perf_counter()
        compiler = None
        refusal = None
        way = None
        self._cache, self._left_to_level_1, self._background = CacheUse(), None, None
        try:
            compiler = recognise(module, self._compiled)
            self._note_shapes(compiler, inputs)
            is_new = tuple(sizes) not in self._ways
            if (
                self._ways
                and is_new
                and len(self._ways) >= schema.MOST_LOWERED_SIZES[compiler.backend]
            ):
                raise RefusalError("many_sizes", f"more than {len(self._ways)}")
            way = self._find_way(module, compiler, inputs, sizes, hooks, begin)
        except RefusalError as refused:
            refusal = refused
        except Exception as error:
            # Nothing ran, so the ordinary way is still open; the record says what happened.
            refusal = RefusalError("error", f"{type(error).__name__}: {error}")
        is_for_all = compiler is not None and compiler.backend == "eager"
        seconds = perf_counter() - begin
        self._record(compiler, refusal, seconds, way, () if is_for_all else sizes)
        if waiting is not None:
            waiting.ends(f"!{self._capture}")
        return way, compiler

    def _note_shapes(self, compiler: KnownCompiler, inputs: list[torch.Tensor]) -> None:
        """Note which dimensions change, unless the program wants a graph for each size."""
        shapes = [each.shape for each in inputs]
        if compiler.dynamic is None and self._shapes:
            self._changing |= {
                (position, dim)
                for position, (old, new) in enumerate(zip(self._shapes, shapes, strict=True))
                for dim, (before, now) in enumerate(zip(old, new, strict=True))
                if before != now
            }
        self._shapes = self._shapes or shapes

    def _way_for_memory(
        self,
        way: Way,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        hooks: Sequence[Any],
    ) -> Way | None:
        """Lower once more where nothing is new but which inputs share memory.

        Dynamo's graph would not do: AOTAutograd fails where two ``.grad``s overlap and a size is an
        input, and where it does not, nobody asks at a hit whether they do.
        """
        if self._module is None or not way.differs_in_memory(inputs):
            return None
        key = (tuple(sizes), tuple(ambient.memory_form(inputs)))
        if key not in self._ways_by_memory:
            if len(self._ways_by_memory) >= schema.MOST_LOWERED_SIZES["inductor"]:
                return None
            with dynamo.without_dynamo():
                self._ways_by_memory[key] = self._lower(self._module, inputs, sizes, hooks)[0]
        found = self._ways_by_memory[key]
        return found if found is not None and found.admits(inputs) else None

    def _guard_failed(self, way: Way, inputs: list[torch.Tensor]) -> None:
        """Note a failed guard; record the first: Dynamo compiles this graph after all."""
        if not self._has_failed:
            self._has_failed = True
            self._record(None, RefusalError("guard", way.failed(inputs)), 0.0)

    def _find_way(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        hooks: Sequence[Any],
        begin: float,
    ) -> Way:
        def session() -> AbstractContextManager[None]:
            return compile_session.compile_session(
                module, perf_counter() - begin, self._frame_state, self._reasons(sizes)
            )

        contents = look_through(module.graph, hooks)
        compiled = self._compiled
        if self._mode is Mode.CHECK:
            compile_code(module)
        make: Callable[[], Way]
        if compiler.backend == "eager":
            if contents.python is None:
                module = with_grads(module)
            make = partial(Direct, module, compiler, contents, session)
        elif self._mode is Mode.DIRECT:
            raise RefusalError("not_asked_for", compiler.backend)
        else:
            refuse_by_world(compiler, contents)
            refuse_by_inputs(compiler, inputs)
            if self._in_background and compiler.backend == "inductor":
                grads_given = with_grads(module)
                return self._behind(grads_given, compiler, contents, inputs, sizes, session)
            refuse_by_sizes(compiler, inputs, sizes)
            if sizes:
                module = with_sizes(module, sizes)
                if self._mode is Mode.CHECK:
                    compiled = self._compiler_fn(module)
            module = with_grads(module)
            make = partial(self._to_backend, module, compiler, inputs, session)
        if self._mode is Mode.CHECK:
            return CheckedWay(make, compiler.backend, contents, compiled, self._capture)
        return make()

    def _reasons(self, sizes: Sequence[int]) -> list[str]:
        """Why it is lowered once more, in Dynamo's words."""
        if not self._ways:
            return []
        last = next(reversed(self._ways))
        return [
            f"tensor 'sizes[{index}]' size mismatch at index 1. expected {old}, actual {new}"
            for index, (old, new) in enumerate(zip(last, sizes, strict=True))
            if old != new
        ][:1]

    def _behind(
        self,
        module: fx.GraphModule,
        compiler: KnownCompiler,
        contents: Contents,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        session: Session,
    ) -> Way:
        # Not at the top: it imports inductor.
        from ca_engine.lowering.background.in_background import InBackground
        from ca_engine.lowering.background.waiting import Waiting, refused_background
        from ca_engine.lowering.background.worker import WorkerError

        def changed(way: InBackground, refusal: RefusalError | None) -> None:
            self._background, self._cache = way.background, CacheUse(way.cache)
            self._record(compiler, refusal, 0.0, way, sizes)

        def refused(*args: Any) -> Sequence[Any]:
            # As without: the training waits for what can't be compiled elsewhere.
            self._in_background = False
            del self._ways[tuple(sizes)]
            return self(*args)

        try:
            waiting = Waiting(module.graph, compiler, sizes)
        except WorkerError as error:
            self._background = refused_background(str(error))
            refuse_by_sizes(compiler, inputs, sizes)
            if sizes:
                module = with_sizes(module, sizes)
            return self._to_backend(module, compiler, inputs, session)
        direct = Direct(module, compiler, contents, session, as_traced=True)
        way = InBackground(direct, waiting, changed, refused)
        self._background = way.background
        return way

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
                return Level2.lowered(module, compiler, inputs, session)
            except RefusalError as refused:
                if self._mode is Mode.L2 or refused.reason not in LEFT_TO_LEVEL_1:
                    raise
                self._left_to_level_1 = refused
                return Level1(module, compiler, inputs, session)

    def _record(
        self,
        compiler: KnownCompiler | None,
        refusal: RefusalError | None,
        seconds: float,
        way: Way | None = None,
        sizes: Sequence[int] = (),
    ) -> None:
        why = self._left_to_level_1 if refusal is None else refusal

        def payload() -> schema.LoweringRecord:
            return {
                "schema_version": schema.SCHEMA_VERSION,
                "time": time.time(),
                "capture": self._capture,
                "way": "no" if way is None else way.name,
                "backend": None if compiler is None else compiler.backend,
                "seconds": seconds,
                "sizes": list(sizes),
                "cache": None if way is None else self._cache.use,
                "cache_reason": None if way is None else self._cache.reason,
                "reason": None if why is None else why.reason,
                "detail": None if why is None else why.detail,
                "file": None if why is None else why.file,
                "line": None if why is None else why.line,
                "background": self._background,
            }

        trace.compact_artifact(schema.LOWERING_RECORD, payload, capture=self._capture)
