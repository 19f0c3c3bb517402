"""Remembers which entry of FxGraphCache holds what inductor made of an ATen graph.

FxGraphCache knows a graph as it is behind inductor's first passes, so to ask it costs those passes:
more than half of a second start. Here a graph is known as it was put together, with all else that
passes and compile depend on, and a file in inductor's cache folder names the entry. Where there is
no such file, or the entry is gone, inductor is asked as ever.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ca_engine.compat import inductor_cache, tracing
from ca_engine.lowering.assemble import AtenGraph
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.templates import Templates, metadata_of

_FOLDER = "ca_lowering"
# To be raised with each change of `_lines`
_FORMAT = 1
# Operators whose meaning a version of torch fixes; a program's own can change behind their names.
_FIXED = frozenset({"aten", "prims"})


class KnownGraph:
    """One ATen graph, as this or an earlier process may have compiled it."""

    def __init__(
        self,
        aten: AtenGraph,
        compiler: KnownCompiler,
        templates: Templates,
        parameters: Sequence[int],
    ) -> None:
        self._aten = aten
        self._compiler = compiler
        self._fake_mode = templates.fake_mode
        self._parameters = parameters
        self._file: Path | None = None  # where it has none, and until it is named

    def name(self) -> None:
        """Find out the name of the graph's file."""
        for _ in self.name_by_parts():
            pass

    def name_by_parts(self) -> Iterator[None]:
        """As `name`, with a rest behind each node. Global state must stay as it is."""
        if not inductor_cache.takes_graphs(self._fake_mode, self._compiler.options):
            return
        yield
        hashed = hashlib.sha256()
        for line in _lines(self._aten, self._compiler, self._parameters):
            if line is None:
                return
            hashed.update(f"{line}\n".encode())
            yield
        name = hashed.hexdigest()
        self._file = Path(inductor_cache.cache_folder(), _FOLDER, name[:2], name)

    def key(self) -> str | None:
        """Return the key under which FxGraphCache holds what inductor made of it, if it does."""
        if self._file is None:
            return None
        try:
            key = self._file.read_text()
        except OSError:
            return None
        return key if inductor_cache.holds(key) else None

    def load(self) -> Callable[..., Any] | None:
        """Return what inductor made of it, which takes its inputs in one list; None if unknown."""
        key = self.key()
        if key is None:
            return None
        return inductor_cache.load_announced(
            key,
            self._aten.fakes,
            self._fake_mode,
            self._compiler.options,
            self._compiler.region_name,
        )

    def remember(self, compiled: Callable[..., Any]) -> None:
        """Write down which entry holds ``compiled``, if one does."""
        key = inductor_cache.key_of(compiled)
        if self._file is not None and key is not None:
            with suppress(OSError):  # a folder that can only be read, a full disk
                inductor_cache.write_whole(self._file, key)


def _is_fixed(node: fx.Node) -> bool:
    if node.op != "call_function" or node.target is operator.getitem:
        return True
    return tracing.is_overload(node.target) and tracing.overload_name(node.target)[0] in _FIXED


def _lines(
    aten: AtenGraph, compiler: KnownCompiler, parameters: Sequence[int]
) -> Iterator[str | None]:
    """Yield what tells a graph apart, and None where an operator may change its meaning."""
    yield f"{_FORMAT} {inductor_cache.settings_key(aten.fakes[0].device, compiler.options)}"
    # In the settings' key since torch 2.13
    yield f"{torch.get_num_threads()} {torch.get_default_dtype()}"
    yield f"{parameters} {aten.results}"
    fakes = iter(aten.fakes)
    for node in aten.graph.nodes:
        if node.op == "placeholder":
            yield f"{node.name} {metadata_of(next(fakes))}"
        elif _is_fixed(node):
            yield f"{node.name} {node.target} {node.args} {node.kwargs}"
        else:
            yield None
