"""Replaces parts of torch while the engine is installed or something is tried."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import wraps
from sys import _getframe
from types import FunctionType
from typing import Any

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._dynamo import convert_frame, eval_frame
from torch._guards import TracingContext

from ca_engine.compat import guard_trees
from ca_engine.compat.graph_calls import call_hook
from ca_engine.compat.graph_inputs import called, replace_graphs

Undo = Callable[[], None]


def replace_compiler(make_compiler: Callable[..., Any], after_reset: Callable[[], None]) -> Undo:
    """C++ makes its compiler objects with ``make_compiler``; returns the way back.

    ``after_reset`` is called after each ``torch._dynamo.compiled_autograd.reset()``, which
    clears the verbose logger and the compiler that is enabled.
    """
    engine: Any = torch_engine
    stock_compiler, stock_reset = engine.AutogradCompilerInstance, engine.reset

    def reset() -> None:
        stock_reset()
        after_reset()

    def undo() -> None:
        engine.AutogradCompilerInstance = stock_compiler
        engine.reset = stock_reset

    engine.AutogradCompilerInstance = make_compiler
    engine.reset = reset
    return undo


# Torch's context is a generator: collected, it would turn compiled autograd off again, and
# at the end of the interpreter that would come too late for it.
_everywhere = ExitStack()
atexit.register(_everywhere.close)


def enable_everywhere(
    compiler_fn: Callable[[torch.fx.GraphModule], Any], dynamic: bool | None
) -> None:
    """Turn compiled autograd on until the process ends or `reset()`.

    Like ``torch._dynamo.config.compiled_autograd``, sizes are static unless ``dynamic``.
    """
    _everywhere.close()
    _everywhere.enter_context(torch_engine._enable(compiler_fn, dynamic=bool(dynamic)))


# The function in which torch compiles a frame, and its variable that holds that.
_COMPILE, _FRAME = "_compile", "frame"


def watch_compiles(
    begins: Callable[[Any], None], recompiles: Callable[[Any, list[str], Any], None]
) -> Undo:
    """Call ``begins`` with a frame that Dynamo compiles for the first time.

    And ``recompiles`` with the frame, torch's reasons and the guards of the newest compile
    (`guard_trees.newest`) when it compiles one again. The frame has ``f_locals``, ``f_globals``
    and ``f_code``. The trace's context is that of the new compile, so a record written then
    carries its id. Torch 2.11 to 2.15 ask ``is_recompilation`` once a compile,
    where they have that context. Returns the way back.
    """
    frames: Any = convert_frame
    is_recompilation = frames.is_recompilation
    reasons_of = frames.get_and_maybe_log_recompilation_reasons

    def asked(*args: Any, **kwargs: Any) -> bool:
        is_again: bool = is_recompilation(*args, **kwargs)
        caller = _getframe(1)
        if not is_again and caller.f_code.co_name == _COMPILE:
            frame = caller.f_locals.get(_FRAME)
            if frame is not None:
                begins(frame)
        return is_again

    def watched(entries: Any, frame: Any, *args: Any, **kwargs: Any) -> list[str]:
        reasons: list[str] = reasons_of(entries, frame, *args, **kwargs)
        recompiles(frame, reasons, guard_trees.newest(entries))
        return reasons

    frames.is_recompilation = asked
    frames.get_and_maybe_log_recompilation_reasons = watched

    def undo() -> None:
        frames.is_recompilation = is_recompilation
        frames.get_and_maybe_log_recompilation_reasons = reasons_of

    return undo


# The function in which torch calls what was compiled. It switches Dynamo's callback twice.
_CALL = "compile_wrapper"


def watch_compiled_calls(changes: Callable[[int, int], None]) -> Undo:
    """Call ``changes`` when a call of what ``torch.compile`` returned begins, and when it ends.

    It gets the identity of the call, the same both times while the call lasts, and at the begin
    the identity of Dynamo's callback, of which each ``torch.compile`` makes one, or 0 where a
    stance turns Dynamo off; at the end 0, unless the call was made within another one. Torch 2.11
    to 2.15 switch their callback by this function of the module, for functions that are not to be
    traced as well. Returns the way back.
    """
    return _compiled_calls.add(changes)


def watched_call() -> tuple[Any, tuple[Any, ...], Mapping[str, Any]]:
    """Return the function and the arguments of the call that a watcher is just told of.

    The watcher itself must ask.
    """
    found = _getframe(3).f_locals  # it is called by `watched` below, which the call calls
    return found.get("fn"), found.get("args", ()), found.get("kwargs", {})


class _CompiledCalls:
    """Torch's switch of its callback, watched for all who ask for it: each sees its caller."""

    def __init__(self) -> None:
        self._watchers: tuple[Callable[[int, int], None], ...] = ()
        self._stock: Callable[[Any], Any] | None = None

    def add(self, changes: Callable[[int, int], None]) -> Undo:
        frames: Any = eval_frame
        if self._stock is None:
            self._stock = frames._maybe_set_eval_frame
            frames._maybe_set_eval_frame = self._watched(self._stock)
        self._watchers += (changes,)

        def undo() -> None:
            self._watchers = tuple(one for one in self._watchers if one is not changes)
            if not self._watchers and self._stock is not None:
                frames._maybe_set_eval_frame, self._stock = self._stock, None

        return undo

    def _watched(self, stock: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def watched(callback: Any) -> Any:
            caller = _getframe(1)
            if caller.f_code.co_name == _CALL:
                for changes in self._watchers:
                    changes(id(caller), id(callback) if callback else 0)
            return stock(callback)

        return watched


_compiled_calls = _CompiledCalls()


def watch_graphs(
    compiled: Callable[[], None], runs: Callable[[], None], gives: Callable[[Any], None]
) -> Undo:
    """Call ``compiled`` when Dynamo got a graph from its backend, ``runs`` when the graph runs.

    ``gives`` is called with what it gave. Returns the way back, for graphs that are compiled after
    it.
    """

    def watched(_: Any, made: Any) -> Any:
        compiled()
        made = called(made) or made

        def run(*args: Any, **kwargs: Any) -> Any:
            runs()
            outputs = made(*args, **kwargs)
            gives(outputs)
            return outputs

        return run

    return replace_graphs(watched)


def watch_backwards(starts: Callable[[], None]) -> Undo:
    """Call ``starts`` at the start of every backward, captured or not; return the way back.

    Torch's engine object is replaced by one of a class derived from its own, whose
    ``run_backward`` is a property: reading it calls it and gives torch's own method.
    So no frame of ours is on the stack while the backward runs, and none is in its
    tracebacks. Measured: 0.1 µs a backward, without what ``starts`` does.
    """
    owner: Any = torch.autograd.Variable
    stock = owner._execution_engine

    class WatchedEngine(type(stock)):  # type: ignore[misc]
        @property
        def run_backward(self) -> Any:
            starts()
            return stock.run_backward

    owner._execution_engine = WatchedEngine()

    def undo() -> None:
        owner._execution_engine = stock

    return undo


def replace_backwards(made: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Undo:
    """Let every backward be run by what ``made`` makes of torch's ``run_backward``.

    A frame of ours is then on the stack while a backward runs: only for short trials. Returns
    the way back.
    """
    owner: Any = torch.autograd.Variable
    stock = owner._execution_engine

    class ReplacedEngine(type(stock)):  # type: ignore[misc]
        @property
        def run_backward(self) -> Any:
            return made(stock.run_backward)

    owner._execution_engine = ReplacedEngine()

    def undo() -> None:
        owner._execution_engine = stock

    return undo


# Where anomaly mode keeps what it noted for a node.
_NOTE = "traceback_"


class _AnomalyModesTorch:
    """Stands for ``torch`` in `torch.autograd.anomaly_mode`; calls ``first`` before it is used.

    ``real`` are the functions of torch's that are replaced until then.
    """

    def __init__(self, first: Undo, real: Mapping[str, Any]) -> None:
        self._first = first
        self._real = real

    def __getattr__(self, name: str) -> Any:
        # A compiler's own mode ends before it returns, and is none of the program's.
        if TracingContext.try_get() is None:
            self._first()
        return self._real.get(name) or getattr(torch, name)


def note_new_nodes(place: Callable[[], list[str]]) -> Undo:
    """Autograd keeps with every node made from now on what ``place()`` returned (`note_of`).

    Anomaly mode does that, with a formatted traceback. Torch's C++ asks
    ``torch.fx.traceback.format_stack`` for it, whose place ``place`` takes, except for nodes
    that a compiler makes and for users who look for NaNs themselves: those get what they
    always do. Returns the way back. Measured on torch 2.13.0: no guard, no key of a capture
    and no result depends on anomaly mode without its check for NaNs.

    Torch's contexts put back what they found. One that found our mode would leave it on for
    good, and nothing tells ours from one of the user's without the check. So this ends where
    the program opens, closes or sets a mode of its own, before torch reads which one is on.
    """
    from torch.fx import traceback

    is_enabled, checks_nans = torch.is_anomaly_enabled, torch.is_anomaly_check_nan_enabled
    if is_enabled():
        return lambda: None  # the user's own, which notes whole tracebacks
    anomaly_mode: Any = torch.autograd.anomaly_mode
    stock = traceback.format_stack
    checked_nans = checks_nans()

    def noted() -> list[str]:
        if TracingContext.try_get() is not None or checks_nans():
            return stock()
        return place()

    def undo() -> None:
        if anomaly_mode.torch is not watched:
            return
        anomaly_mode.torch = torch
        traceback.format_stack = stock
        torch.is_anomaly_enabled = is_enabled
        torch.is_anomaly_check_nan_enabled = checks_nans
        if is_enabled() and not checks_nans():
            torch.set_anomaly_enabled(False, checked_nans)

    real = {"is_anomaly_enabled": is_enabled, "is_anomaly_check_nan_enabled": checks_nans}
    watched = anomaly_mode.torch = _AnomalyModesTorch(undo, real)
    traceback.format_stack = noted
    # A program that asks for the mode is answered with its own.
    torch.is_anomaly_enabled = lambda: False
    torch.is_anomaly_check_nan_enabled = lambda: checked_nans
    torch.set_anomaly_enabled(True, False)
    return undo


def note_of(node: torch.autograd.graph.Node) -> list[str]:
    """Return what was kept with a node, outermost entry first; empty if nothing was."""
    metadata: Any = node.metadata  # torch's stubs call it a method
    noted = metadata.get(_NOTE)
    return [entry for entry in noted if isinstance(entry, str)] if isinstance(noted, list) else []


# For processes that try something


def compile_with(dynamic: bool) -> None:
    """Every ``torch.compile`` from now on, and compiled autograd, gets this ``dynamic``.

    Whatever the program says itself. Not to be undone: for processes that try something.
    """
    compile_stock, enable_stock = torch.compile, torch_engine._enable

    @wraps(compile_stock)
    def compile(*args: Any, **kwargs: Any) -> Any:
        return compile_stock(*args, **{**kwargs, "dynamic": dynamic})

    @wraps(enable_stock)
    def enable(compiler_fn: Any, *_: Any, **kwargs: Any) -> Any:
        return enable_stock(compiler_fn, **{**kwargs, "dynamic": dynamic})

    torch.compile = compile
    torch_engine._enable = enable


def allow_recompiles(number: int) -> None:
    """Let Dynamo compile a function at least so often. Not to be undone."""
    config: Any = torch._dynamo.config
    config.recompile_limit = max(config.recompile_limit, number)


def replace_compiled(made: Callable[[Any, Callable[..., Any]], Callable[..., Any] | None]) -> None:
    """Let ``made`` replace what is called for a function that ``torch.compile`` was given.

    It gets the function and what torch made of it, and returns None to leave that. A frame of ours
    is then around each call. Not to be undone.
    """
    owner: Any = eval_frame.OptimizeContext
    stock = owner.__call__

    def call(self: Any, function: Any) -> Any:
        compiled = stock(self, function)
        if isinstance(compiled, FunctionType):
            return made(function, compiled) or compiled
        return compiled  # a module, whose call comes here by itself

    owner.__call__ = call


def mark_unbacked(tensor: torch.Tensor, dimension: int) -> None:
    """Let Dynamo compile for any size of ``dimension``, 0 and 1 among them."""
    from torch._dynamo.decorators import mark_unbacked as mark

    mark(tensor, dimension)


def leave_hooks_to_python() -> None:
    """Hooks, and all that they call, are no longer compiled: each is one graph break.

    As if each had ``torch.compiler.disable``. Captured graphs hold torch's function itself, so
    its code is replaced and not the name. Not to be undone.
    """
    function: Any = call_hook
    in_eager = FunctionType(function.__code__, function.__globals__, function.__name__)
    in_eager.__kwdefaults__ = function.__kwdefaults__
    name = "_ca_call_hook_in_eager"
    disable: Any = torch.compiler.disable
    function.__globals__[name] = disable(in_eager)
    source = f"def call_hook(*args, **kwargs):\n    return {name}(*args, **kwargs)\n"
    # Under torch's file name: Dynamo traces into that one.
    made: dict[str, Any] = {}
    exec(compile(source, function.__code__.co_filename, "exec"), made)
    function.__code__ = made["call_hook"].__code__
    function.__kwdefaults__ = None
