"""Dynamo and what compiles behind it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from types import CodeType
from typing import Any

import torch
from torch._C._dynamo.eval_frame import set_eval_frame
from torch._dynamo import allow_in_graph, config, convert_frame, maybe_mark_dynamic
from torch._dynamo.callback import callback_handler
from torch._dynamo.code_context import code_context
from torch._dynamo.utils import counters, set_locals_to_steal
from torch._guards import TracingContext

__all__ = [
    "allow_in_graph",
    "cache_counters",
    "cudagraphs_enabled",
    "dims_may_change",
    "is_compiled_code",
    "is_tracing",
    "let_compiler_free_inputs",
    "maybe_mark_dynamic",
    "move_code_context",
    "skip",
    "skipped_frames",
    "unique_graphs",
    "watch_compiles",
    "without_dynamo",
]

Undo = Callable[[], None]

# What `maybe_mark_dynamic` notes in a tensor
_MARKS = "_dynamo_weak_dynamic_indices"


def skip(modules: Iterable[str]) -> None:
    """Let Dynamo trace into no function of these modules, or of modules below them.

    Dynamo makes one expression of all folders whenever it is given one (7 ms), and keeps what it is
    given twice: it gets the new ones at once.
    """
    rules = torch._dynamo.trace_rules
    new = [module for module in modules if _folder(module) not in rules.SKIP_DIRS]
    if new:
        *others, last = new
        rules.SKIP_DIRS.extend(map(_folder, others))
        rules.add(last)


def _folder(module: str) -> str:
    """Return the file of a module, or the folder of a package, as Dynamo writes it."""
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    return found.origin.removesuffix("__init__.py").replace(os.sep, "/")


@contextmanager
def without_dynamo() -> Iterator[None]:
    """Keep a ``torch.compile`` around the backward from looking at the Python code within.

    To `skip` a module spares what is defined there, not what it calls: Dynamo would compile the
    `dataclasses` of a module that is imported within.
    """
    before = set_eval_frame(None)
    try:
        yield
    finally:
        set_eval_frame(before)


@contextmanager
def dims_may_change(
    tensors: Sequence[torch.Tensor], dims: Iterable[tuple[int, int]]
) -> Iterator[None]:
    """Let a graph that Dynamo compiles within be for all sizes of ``dims``.

    Each is the position of one of ``tensors`` and one of its dimensions. Without, Dynamo compiles
    a graph for the first sizes that it sees, and another one for all once it sees others.
    """
    marked = []
    for position, dim in dims:
        tensor = tensors[position]
        if not hasattr(tensor, _MARKS):
            marked.append(weakref.ref(tensor))  # inputs are freed while the graph runs
        maybe_mark_dynamic(tensor, dim)
    try:
        yield
    finally:
        for reference in marked:
            if (left := reference()) is not None and hasattr(left, _MARKS):
                delattr(left, _MARKS)


def watch_compiles(starts: Callable[[str], None], ends: Callable[[str], None]) -> Undo:
    """Call both with Dynamo's compile id (``3/0``) around each compilation.

    That is one of Dynamo's or of a backward that AOTAutograd left for later, not one within
    another, and no recording of a CUDA graph. Stays in place after ``torch._dynamo.reset()``.
    Returns the way back.
    """

    def called(callback: Callable[[str], None]) -> Callable[[Any], None]:
        def call(args: Any) -> None:
            if args.callback_trigger.name != "CUDAGRAPH_RECORDING":
                callback(str(args.compile_id))

        return call

    handler: Any = callback_handler
    at_start, at_end, clear = called(starts), called(ends), handler.clear

    def register() -> None:
        handler.register_start_callback(at_start)
        handler.register_end_callback(at_end)

    def clear_others() -> None:
        clear()
        register()

    def undo() -> None:
        del handler.clear  # the method is the class's
        handler.remove_start_callback(at_start)
        handler.remove_end_callback(at_end)

    register()
    handler.clear = clear_others
    return undo


def is_compiled_code(code: CodeType) -> bool:
    """Return whether Dynamo made ``code``, which has the file and name of what it is for."""
    return id(code) in convert_frame.output_codes.seen_ids


def unique_graphs() -> int:
    """Count the graphs that Dynamo compiled in this process, forward and backward."""
    return int(counters["stats"]["unique_graphs"])


def recompile_limit() -> int | None:
    """Return how many compiles of one function the thread that asks allows; None if unknown."""
    limit = getattr(config, "recompile_limit", None)
    return limit if type(limit) is int else None


def cache_counters() -> dict[str, dict[str, int]]:
    """Count hits, misses, bypasses, stores and failures of AOTAutogradCache and FxGraphCache."""
    kinds = {"aot": ("aot_autograd", "autograd_cache_"), "fx": ("inductor", "fxgraph_cache_")}
    return {
        cache: {
            name.removeprefix(prefix): int(count)
            for name, count in counters[group].items()
            if name.startswith(prefix)
        }
        for cache, (group, prefix) in kinds.items()
    }


def is_tracing() -> bool:
    """Return whether a compiler traces in this thread: AOT autograd then runs its own backwards."""
    return TracingContext.try_get() is not None


def cudagraphs_enabled() -> bool:
    from torch._inductor import config

    return bool(config.triton.cudagraphs)


def move_code_context(before: CodeType, after: CodeType) -> None:
    """Let Dynamo know of ``after`` what it noted for ``before``: the module whose code it is."""
    if code_context.has_context(before):
        code_context.get_context(after).update(code_context.pop_context(before))


def let_compiler_free_inputs(module: torch.fx.GraphModule) -> None:
    """Lets the compiled graph take over the list of inputs, so saved tensors die early."""
    set_locals_to_steal(module, ["inputs"])


def skipped_frames() -> int:
    """Return how many functions Dynamo began to compile in this process and left to Python."""
    frames = counters["frames"]
    return frames["total"] - frames["ok"]
