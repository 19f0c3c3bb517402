"""Stands between C++ and a compiler object, and notes what passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from torch import fx

from ca_engine.compat import autograd_nodes
from ca_engine.recorder.open_capture import OpenCapture
from ca_engine.recorder.recorder import Recorder

# What runs a captured graph: `runtime.CompiledBackward`, or torch's own.
CompiledGraph = Callable[..., Any]
CompilerFn = Callable[[fx.GraphModule], CompiledGraph]

# Methods that C++ calls for a hook, and which argument is its number among the hooks that
# the graph is called with; None where the number counts something else.
_HOOKS: dict[str, int | None] = {
    "tensor_pre_hook": 1,
    "cpp_tensor_pre_hook": None,
    "pre_hook": 1,
    "post_hook": 2,
    "post_acc_grad_hook": 1,
    "unpack_hook": 0,
}


class ObservedCompiler:
    """A compiler object that passes every call on to ``make_compiler(compiler_fn)``.

    Works for any object that speaks C++'s protocol, torch's own compiler included.
    """

    def __init__(
        self,
        make_compiler: Callable[[CompilerFn], Any],
        recorder: Recorder,
        compiler_fn: CompilerFn,
    ) -> None:
        self._recorder = recorder
        self._capture = OpenCapture(self)
        # Not a method of ours: when a node raises, C++ drops this object and says nothing, and
        # the inner one must end with it, not when the garbage collector finds a cycle.
        self._inner = make_compiler(partial(_receive_graph, self._capture, compiler_fn))

    def begin_capture(
        self,
        inputs: list[Any],
        sizes: list[int],
        scalars: list[int | float],
        origins: Sequence[Sequence[tuple[int, str]]],
        accumulate_grad: bool,
        check_nans: bool,
    ) -> Any:
        capture = self._capture
        self._recorder.capture_begins(capture)
        # The lists are changed in place by the compiler, so they are read before it runs.
        capture.lifts(inputs, sizes, scalars, origins)
        capture.is_asked_for(accumulate_grad=accumulate_grad, check_nans=check_nans)
        answer = self._call(
            self._inner.begin_capture, inputs, sizes, scalars, origins, accumulate_grad, check_nans
        )
        capture.is_named(answer[0])
        return answer

    def log_compile_reasons(self, reasons: list[str]) -> None:
        self._capture.missed_because(reasons)
        self._call(self._inner.log_compile_reasons, reasons)

    def set_node_origin(self, name: str, index: int, ctx: Any) -> None:
        self._capture.visits(name, index)
        if ctx is not None:
            self._capture.visits_function(autograd_nodes.forward_class(ctx))
        self._call(self._inner.set_node_origin, name, index, ctx)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name in _HOOKS:
            return partial(self._call_for_hook, method, name)
        return partial(self._call, method)

    def _call_for_hook(self, method: Callable[..., Any], name: str, *args: Any) -> Any:
        position = _HOOKS[name]
        self._capture.meets_hook(name, None if position is None else args[position])
        return self._call(method, *args)

    def _call(self, method: Callable[..., Any], *args: Any) -> Any:
        try:
            return method(*args)
        except BaseException as error:
            # C++ will drop this object without a word to it.
            self._recorder.captures.fail(self._capture, error)
            raise

    def end_capture(self, outputs: Any) -> tuple[Callable[..., Any], CompiledGraph]:
        self._recorder.captures.nodes_end()
        wrapper, compiled = self._call(self._inner.end_capture, outputs)
        self._recorder.capture_ends(self._capture)
        return self._recorder.runs.observe(self._capture, wrapper), compiled

    def close(self) -> None:
        self._inner.close()


def _receive_graph(
    capture: OpenCapture, compiler_fn: CompilerFn, module: fx.GraphModule
) -> CompiledGraph:
    """Stand in for ``compiler_fn``, to see the finished graph and time both sides."""
    capture.is_captured(module.graph)
    compiled = compiler_fn(module)
    capture.is_compiled()
    return compiled
