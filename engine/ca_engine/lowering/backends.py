"""The backends behind AOTAutograd: what they compile an inference graph with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from ca_engine import schema
from ca_engine.compat import aot_eager
from ca_engine.lowering.assemble import AtenGraph
from ca_engine.lowering.recognise import Backend, KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import Templates

# Takes the graph's inputs in one list, which it empties, and returns its results.
CompiledAten = Callable[[list[torch.Tensor]], Sequence[Any]]


class AotEager:
    """``aot_eager`` runs the ATen graph's own code."""

    def __init__(self) -> None:
        self._templates: Templates | None = None

    def templates(self, _: KnownCompiler) -> Templates:
        """Return the templates. Raises `RefusalError` under settings with which the backend
        is given another graph than theirs.
        """
        if self._templates is None:
            self._templates = Templates({})
        return self._templates

    def compile(
        self, aten: AtenGraph, _: KnownCompiler, inputs: Sequence[torch.Tensor]
    ) -> CompiledAten:
        return aot_eager.aot_eager_compile(aten.graph, aten.fakes)


class Inductor:
    """``inductor`` compiles the ATen graph as it does an inference graph of AOTAutograd's."""

    def __init__(self) -> None:
        self._settings: bytes | None = None
        self._templates: Templates | None = None

    def templates(self, compiler: KnownCompiler) -> Templates:
        from ca_engine.compat import inductor  # not before somebody uses it: it takes seconds

        if option := inductor.inductor_option(compiler.options):
            raise RefusalError("config", option)
        settings, decompositions = inductor.inductor_decompositions(compiler.options)
        if self._templates is None or settings != self._settings:
            self._templates, self._settings = Templates(decompositions), settings
        return self._templates

    def compile(
        self, aten: AtenGraph, compiler: KnownCompiler, inputs: Sequence[torch.Tensor]
    ) -> CompiledAten:
        # Not at the top: they import inductor.
        from ca_engine.compat import inductor
        from ca_engine.lowering.known_graphs import KnownGraph

        assert self._templates is not None
        static = parameters(inputs)
        known = KnownGraph(aten, compiler, self._templates, static)
        known.name()
        if compiled := known.load():
            return compiled
        compiled = inductor.inductor_compile(
            aten.graph,
            aten.fakes,
            self._templates.fake_mode,
            static,
            aten.results,
            compiler.options,
            compiler.region_name,
        )
        known.remember(compiled)
        return compiled


def parameters(inputs: Sequence[torch.Tensor]) -> list[int]:
    """Find the positions of inputs that are parameters."""
    return [index for index, each in enumerate(inputs) if isinstance(each, torch.nn.Parameter)]


BACKENDS: dict[str, AotEager | Inductor] = {"aot_eager": AotEager(), "inductor": Inductor()}


def kernels_together(backend: Backend) -> AbstractContextManager[None]:
    """C++ kernels of a graph that ``backend`` compiles within are compiled together."""
    if backend != "inductor":
        return nullcontext()
    from ca_engine.compat import cpp_kernels  # it imports inductor

    return cpp_kernels.compiled_together()


@dataclass
class CacheUse:
    """Answer of the backend's cache for a graph, and why it was bypassed, if it was.

    None of a backend without a cache, or if it was not asked.
    """

    use: schema.LoweringCache | None = None
    reason: str | None = None


@contextmanager
def noting_cache(backend: Backend) -> Iterator[CacheUse]:
    """Yield what will be known at its end of the graph that is compiled within."""
    found = CacheUse()
    if backend != "inductor":
        yield found
        return
    from ca_engine.compat import inductor

    with inductor.noting_cache_answers() as answers:
        try:
            yield found
        finally:
            if answers:
                # An entry that is gone is asked for twice.
                found.use, found.reason = answers[-1]
