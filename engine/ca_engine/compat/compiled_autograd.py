"""Torch's compiled autograd: the state of its Python half, and its C++ half."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._dynamo.utils import counters, get_chromium_event_logger
from torch._guards import CompileId, TracingContext
from torch.fx._utils import lazy_format_graph_code

TURN_OFF_TEXT: str = torch_engine.TURN_OFF_MSG


class VerboseLogger(Protocol):
    """Logger that C++ calls for each cache miss while one is set."""

    def debug(self, text: str, /) -> None: ...


# Switching it


def enable(
    compiler_fn: Callable[[torch.fx.GraphModule], Any], *, dynamic: bool = False
) -> AbstractContextManager[None]:
    """Within, every backward is captured and handed to ``compiler_fn``."""
    # By name, as others may have replaced it (`patches.compile_with`).
    context: AbstractContextManager[None] = torch_engine._enable(compiler_fn, dynamic=dynamic)
    return context


def disable() -> AbstractContextManager[None]:
    """Within, every backward runs in eager."""
    context: AbstractContextManager[None] = torch_engine._disable()
    return context


def reset() -> None:
    """Forgets all captured graphs and turns compiled autograd off."""
    torch_engine.reset()


def clear_cache() -> None:
    if torch_engine.in_compiled_autograd_region:
        raise RuntimeError("the cache can't be cleared from within a compiled backward")
    torch._C._dynamo.compiled_autograd.clear_cache()


def is_on() -> bool:
    """Return whether a backward that starts now is captured."""
    return torch_engine.compiled_autograd_enabled


def runs_uncaptured() -> bool:
    """Return whether a backward that starts now runs in eager although it was to be captured.

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


def is_inner_backward() -> bool:
    """Return whether a backward that starts now is part of another one, or of a compilation."""
    return torch_engine.in_compiled_autograd_region or TracingContext.try_get() is not None


@contextmanager
def inside_compiled_backward() -> Iterator[None]:
    """Compiled autograd is off and Dynamo knows that it compiles a captured graph."""
    torch_engine.in_compiled_autograd_region = True
    try:
        with torch_engine._disable():
            yield
    finally:
        torch_engine.in_compiled_autograd_region = False


# One capture


def stock_compiler() -> Callable[..., Any]:
    """Return the compiler that C++ makes for a cache miss: torch's own, unless it was replaced."""
    compiler: Callable[..., Any] = torch_engine.AutogradCompilerInstance
    return compiler


def op_registry() -> Any:
    """Return the registry in which C++ node functions are bound by name.

    C++ binds each node type once in a process, through whichever compiler object first
    captures it, and afterwards only passes the name. So there can be one registry only, and
    Dynamo (``call_accumulate_grad``) looks for it in torch's module.
    """
    return torch_engine.ops


def begin_compile() -> int:
    """Count a capture and return its id, the ``3`` of ``!3``.

    Both engines draw from torch's counter, so ids stay unique when they alternate in one
    process, and ``reset()`` starts them again at 0.
    """
    counters["compiled_autograd"]["captures"] += 1
    return next(torch_engine.COMPILE_COUNTER)


def compile_id_text(capture: int) -> str:
    """Return the compile id as logs print it, ``!3/-/-`` without what is not there yet."""
    return str(CompileId(compiled_autograd_id=capture, frame_id=None, frame_compile_id=None))


def compile_context(capture: int) -> AbstractContextManager[Any]:
    """Log lines and trace records within belong to ``capture``."""
    context: AbstractContextManager[Any] = torch_engine.make_compile_context(capture)
    return context


# Its logs


def set_verbose_logger(logger: VerboseLogger | None) -> None:
    """Set the object that receives torch's miss reasons; None turns the reasons off."""
    torch._C._dynamo.compiled_autograd.set_verbose_logger(logger)  # type: ignore[arg-type]


def log_graph(module: torch.fx.GraphModule) -> None:
    """Print the graph for ``TORCH_LOGS=compiled_autograd`` and its verbose form."""
    code = lazy_format_graph_code(
        "Compiled autograd graph", module, include_device=True, include_stride=True, colored=True
    )
    torch_engine.compiled_autograd_log.info("%s", code)
    torch_engine.verbose_log.debug("%s", code)


def log_verbose(text: str, *args: object) -> None:
    """Write a line of ``TORCH_LOGS=compiled_autograd_verbose``."""
    torch_engine.verbose_log.debug(text, *args)


def log_capture_span(capture: int, start_ns: int, end_ns: int) -> None:
    logger = get_chromium_event_logger()
    meta = {"graph_id": capture}
    logger.log_event_start("compiled_autograd", start_ns, meta, log_pt2_compile_event=True)
    logger.log_event_end("compiled_autograd", end_ns, meta, start_ns, log_pt2_compile_event=True)
