"""What differs between torch versions, and every touch of torch's private names.

Besides `ca_engine.capture`, no other module may reach into ``torch._C`` or depend on the
layout of ``torch._dynamo``. Measured on torch 2.13.0; 2.14 and 2.15 drive the same protocol.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial, wraps
from types import FunctionType
from typing import Any, Protocol

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._dynamo.callback import callback_handler
from torch._dynamo.external_utils import (
    FakeCompiledAutogradEngine,
    call_accumulate_grad,
    call_backward,
    call_hook,
    unwrap_maybe_dynamic_int,
)
from torch._dynamo.utils import counters, get_chromium_event_logger, set_locals_to_steal
from torch._functorch._aot_autograd import runtime_wrappers
from torch._functorch._aot_autograd.schemas import ViewAndMutationMeta
from torch._guards import CompileId, TracingContext
from torch.fx._utils import lazy_format_graph_code
from torch.fx.graph_module import _print_readable

__all__ = [
    "EXEC_FINAL_CALLBACKS",
    "AotRegion",
    "Undo",
    "aot_backward_module",
    "aot_cache_counters",
    "aot_compile_id",
    "aot_epilogue",
    "aot_prologue",
    "aot_stack_traces",
    "backward_autocast_option",
    "begin_compile",
    "boxes_gradients",
    "call_accumulate_grad",
    "call_backward",
    "call_cpp_tensor_pre_hooks",
    "call_hook",
    "clear_cache",
    "compile_context",
    "compile_id_text",
    "compile_with",
    "cpp_function",
    "cudagraphs_enabled",
    "enable_everywhere",
    "inside_compiled_backward",
    "is_builtin_node_op",
    "is_inner_backward",
    "is_supported",
    "is_untraceable_node_op",
    "leave_hooks_to_python",
    "let_compiler_free_inputs",
    "log_capture_span",
    "log_graph",
    "log_verbose",
    "note_new_nodes",
    "note_of",
    "on_compile_start",
    "op_registry",
    "readable_code",
    "runs_uncaptured",
    "set_verbose_logger",
    "torch_engine",
    "torch_version",
    "unique_graphs",
    "unwrap_maybe_dynamic_int",
    "watch_backwards",
]

# The protocol between C++ and the compiler object is the one described in docs/engine.md
# for these versions; see also `is_supported`.
FIRST_TESTED = (2, 11)
LAST_TESTED = (2, 15)

# Dynamo replaces calls of this stub by the execution of the backward's final callbacks.
EXEC_FINAL_CALLBACKS = FakeCompiledAutogradEngine._exec_final_callbacks_stub

call_cpp_tensor_pre_hooks = torch._C._dynamo.compiled_autograd.call_cpp_tensor_pre_hooks


class VerboseLogger(Protocol):
    """What C++ calls for each cache miss while it is set."""

    def debug(self, text: str, /) -> None: ...


def torch_version() -> tuple[int, int]:
    """Major and minor version of the torch in this process."""
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)


def is_supported() -> bool:
    return FIRST_TESTED <= torch_version() <= LAST_TESTED


def op_registry() -> Any:
    """Where C++ node functions are bound by name.

    C++ binds each node type once in a process, through whichever compiler object first
    captures it, and afterwards only passes the name. So there can be one registry only, and
    Dynamo (``call_accumulate_grad``) looks for it in torch's module.
    """
    return torch_engine.ops


def set_verbose_logger(logger: VerboseLogger | None) -> None:
    """Sets the object that receives torch's miss reasons; None turns the reasons off."""
    torch._C._dynamo.compiled_autograd.set_verbose_logger(logger)  # type: ignore[arg-type]


class AotRegion(Protocol):
    """The `autograd.Function` that AOTAutograd makes for a compiled forward."""

    _aot_id: int
    metadata: ViewAndMutationMeta
    maybe_subclass_metadata: Any


def aot_backward_module(region: AotRegion) -> torch.fx.GraphModule:
    """The FX graph of an AOT region's backward, which was kept for lazy compilation."""
    module = torch_engine.extract_bw_module(region)
    assert isinstance(module, torch.fx.GraphModule)
    return module


def aot_stack_traces(region: AotRegion) -> list[str]:
    """The texts of the user's stacks that an AOT region's backward came from, in its order.

    Only of a module that is at hand: one from AOTAutogradCache would have to be made for this.
    """
    module = getattr(getattr(region, "_lazy_backward_info", None), "bw_module", None)
    if not isinstance(module, torch.fx.GraphModule):
        return []
    traces = (node.meta.get("stack_trace") for node in module.graph.nodes)
    return [trace for trace in dict.fromkeys(traces) if isinstance(trace, str)]


def aot_prologue(region: AotRegion) -> Callable[..., Any]:
    """Packs ``(saved_tensors, symints, opaque_objects, grads)`` into a flat argument list."""
    prologue: Callable[..., Any] | None = getattr(region, "_bw_prologue_fn", None)
    if prologue is not None:
        return prologue
    # Until torch 2.12 one function served all regions.
    metadata, subclasses = region.metadata, region.maybe_subclass_metadata

    def pack(saved_tensors: Any, symints: Any, opaque_objects: Any, grads: Any) -> Any:
        return runtime_wrappers._backward_prologue_functional(  # type: ignore[attr-defined]
            saved_tensors, symints, opaque_objects, metadata, subclasses, *grads
        )

    return pack


def aot_epilogue(region: AotRegion) -> Callable[..., Any]:
    """Drops what only AOTAutograd knows of from a backward's outputs, wraps subclasses.

    Takes the outputs, and for regions with tensor subclasses ``make_subclass_override``.
    """
    epilogue: Callable[..., Any] | None = getattr(region, "_bw_epilogue_fn", None)
    if epilogue is not None:
        return epilogue
    return partial(
        runtime_wrappers._backward_epilogue_functional,  # type: ignore[attr-defined]
        region.metadata,
        region.maybe_subclass_metadata,
    )


def boxes_gradients(function: Any) -> bool:
    """Whether an `autograd.Function` takes its gradients in one list, which is new in 2.13."""
    return torch_version() >= (2, 13) and getattr(function, "boxed_grads_call", False)


def begin_compile() -> int:
    """Counts a capture and returns its id, the ``3`` of ``!3``.

    Both engines draw from torch's counter, so ids stay unique when they alternate in one
    process, and ``reset()`` starts them again at 0.
    """
    counters["compiled_autograd"]["captures"] += 1
    return next(torch_engine.COMPILE_COUNTER)


def compile_id_text(capture: int) -> str:
    """The compile id as logs print it, ``!3/-/-`` without what is not there yet."""
    return str(CompileId(compiled_autograd_id=capture, frame_id=None, frame_compile_id=None))


def compile_context(capture: int) -> AbstractContextManager[Any]:
    """Log lines and trace records within belong to ``capture``."""
    context: AbstractContextManager[Any] = torch_engine.make_compile_context(capture)
    return context


@contextmanager
def inside_compiled_backward() -> Iterator[None]:
    """Compiled autograd is off and Dynamo knows that it compiles a captured graph."""
    torch_engine.in_compiled_autograd_region = True
    try:
        with torch_engine._disable():
            yield
    finally:
        torch_engine.in_compiled_autograd_region = False


def cudagraphs_enabled() -> bool:
    from torch._inductor import config

    return bool(config.triton.cudagraphs)


def let_compiler_free_inputs(module: torch.fx.GraphModule) -> None:
    """Lets the compiled graph take over the list of inputs, so saved tensors die early."""
    set_locals_to_steal(module, ["inputs"])


def readable_code(root: torch.nn.Module, graph: torch.fx.Graph, class_name: str) -> str:
    """What ``GraphModule(root, graph, class_name).print_readable()`` gives.

    Without making such a module: that would generate and compile its code once more.
    """
    holder: Any = root
    holder.graph = graph
    try:
        return _print_readable(root, class_name, print_output=False)
    finally:
        del holder.graph


def log_graph(module: torch.fx.GraphModule) -> None:
    """Prints the graph for ``TORCH_LOGS=compiled_autograd`` and its verbose form."""
    code = lazy_format_graph_code(
        "Compiled autograd graph", module, include_device=True, include_stride=True, colored=True
    )
    torch_engine.compiled_autograd_log.info("%s", code)
    torch_engine.verbose_log.debug("%s", code)


def log_verbose(text: str, *args: object) -> None:
    """A line of ``TORCH_LOGS=compiled_autograd_verbose``."""
    torch_engine.verbose_log.debug(text, *args)


def log_capture_span(capture: int, start_ns: int, end_ns: int) -> None:
    logger = get_chromium_event_logger()
    meta = {"graph_id": capture}
    logger.log_event_start("compiled_autograd", start_ns, meta, log_pt2_compile_event=True)
    logger.log_event_end("compiled_autograd", end_ns, meta, start_ns, log_pt2_compile_event=True)


def is_builtin_node_op(target: object) -> bool:
    """Whether ``target`` is the function of one of torch's own C++ autograd nodes."""
    return isinstance(target, torch_engine.Op) and not target.is_custom_function


def is_untraceable_node_op(target: object) -> bool:
    """Whether ``target`` is a C++ Function's that Dynamo calls without looking into it."""
    return isinstance(target, FunctionType) and target.__module__ == torch_engine.__name__


def cpp_function(target: Any) -> Any:
    """The C++ function behind torch's callable for an autograd node; else ``target`` itself."""
    return target.fn if isinstance(target, torch_engine.Op) else target


def unique_graphs() -> int:
    """How many graphs Dynamo compiled in this process, forward and backward."""
    return int(counters["stats"]["unique_graphs"])


# Torch's context is a generator: collected, it would turn compiled autograd off again, and
# at the end of the interpreter that would come too late for it.
_everywhere = ExitStack()
atexit.register(_everywhere.close)


def enable_everywhere(
    compiler_fn: Callable[[torch.fx.GraphModule], Any], dynamic: bool | None
) -> None:
    """Turns compiled autograd on until the process ends or `reset()`.

    Like ``torch._dynamo.config.compiled_autograd``, sizes are static unless ``dynamic``.
    """
    _everywhere.close()
    _everywhere.enter_context(torch_engine._enable(compiler_fn, dynamic=bool(dynamic)))


def clear_cache() -> None:
    if torch_engine.in_compiled_autograd_region:
        raise RuntimeError("the cache can't be cleared from within a compiled backward")
    torch._C._dynamo.compiled_autograd.clear_cache()


# What hazards are recognised by (`recorder/hazards.py`)


def runs_uncaptured() -> bool:
    """Whether a backward that starts now runs in eager although it was to be captured.

    So it is where ``torch._dynamo.config.compiled_autograd`` is set, and the call stands
    outside of every compiled function. Not counted: what runs within a captured backward
    or in a compilation, and where a ``_disable()`` or a stance says that it shall be so.
    """
    return (
        not torch_engine.compiled_autograd_enabled
        and not torch_engine.in_compiled_autograd_region
        and not torch_engine.active_disable_ctx
        and bool(torch._dynamo.config.compiled_autograd)
        and not torch_engine.compiled_autograd_enabled_force_eager
        and TracingContext.try_get() is None
    )


def on_compile_start(callback: Callable[[str], None]) -> Callable[[], None]:
    """Calls ``callback`` with Dynamo's compile id (``3/0``) before each compilation.

    Returns what puts it in place (again): ``torch._dynamo.reset()`` forgets all callbacks.
    """

    def called(args: Any) -> None:
        callback(str(args.compile_id))

    def ensure() -> None:
        if called not in callback_handler.start_callbacks:
            callback_handler.register_start_callback(called)

    ensure()
    return ensure


def is_inner_backward() -> bool:
    """Whether a backward that starts now is part of another one, or of a compilation."""
    return torch_engine.in_compiled_autograd_region or TracingContext.try_get() is not None


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


def aot_compile_id(region: AotRegion) -> str | None:
    """The compilation that a region's forward came from, ``3/0``."""
    info = getattr(region, "_lazy_backward_info", None)
    context = getattr(info, "saved_compile_context", None)
    return None if context is None else str(context.compile_id)


def backward_autocast_option() -> Any:
    """Which autocast AOTAutograd assumes for backwards: see `torch._functorch.config`."""
    # New in torch 2.9; what it did before is what it does by default since.
    return getattr(torch._functorch.config, "backward_pass_autocast", "same_as_forward")


def aot_cache_counters() -> dict[str, int]:
    """How often AOTAutogradCache hit, missed, was bypassed and stored (``autograd_cache_…``)."""
    prefix = "autograd_cache_"
    return {
        name.removeprefix(prefix): int(count)
        for name, count in counters["aot_autograd"].items()
        if name.startswith(prefix)
    }


Undo = Callable[[], None]

# Where anomaly mode keeps what it noted for a node.
_NOTE = "traceback_"


class _AnomalyModesTorch:
    """Stands for ``torch`` in `torch.autograd.anomaly_mode`; calls ``first`` before it is used."""

    def __init__(self, first: Undo) -> None:
        self._first = first

    def __getattr__(self, name: str) -> Any:
        # A compiler's own mode ends before it returns, and is none of the program's.
        if TracingContext.try_get() is None:
            self._first()
        return getattr(torch, name)


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

    if torch.is_anomaly_enabled():
        return lambda: None  # the user's own, which notes whole tracebacks
    anomaly_mode: Any = torch.autograd.anomaly_mode
    stock = traceback.format_stack
    checked_nans = torch.is_anomaly_check_nan_enabled()

    def noted() -> list[str]:
        if TracingContext.try_get() is not None or torch.is_anomaly_check_nan_enabled():
            return stock()
        return place()

    def undo() -> None:
        if anomaly_mode.torch is not watched:
            return
        anomaly_mode.torch = torch
        traceback.format_stack = stock
        if torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled():
            torch.set_anomaly_enabled(False, checked_nans)

    watched = anomaly_mode.torch = _AnomalyModesTorch(undo)
    traceback.format_stack = noted
    torch.set_anomaly_enabled(True, False)
    return undo


def note_of(node: torch.autograd.graph.Node) -> list[str]:
    """What was kept with a node, outermost entry first; empty if nothing was."""
    metadata: Any = node.metadata  # torch's stubs call it a method
    noted = metadata.get(_NOTE)
    return [entry for entry in noted if isinstance(entry, str)] if isinstance(noted, list) else []


def watch_backwards(starts: Callable[[], None]) -> Undo:
    """Calls ``starts`` at the start of every backward, captured or not; returns the way back.

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
