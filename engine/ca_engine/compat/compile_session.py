"""A compilation without Dynamo, reported as Dynamo reports one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from torch import fx
from torch._dynamo.callback import CallbackTrigger, callback_handler
from torch._dynamo.convert_frame import get_compile_id
from torch._dynamo.utils import chromium_event_timed, counters, dynamo_timed, get_metrics_context
from torch._guards import CompileContext, compile_context
from torch._logging._internal import trace_structured
from torch._logging.structured import from_traceback, intern_string
from torch.utils._traceback import CapturedTraceback

_OWN_FRAMES = 3


@contextmanager
def compile_session(
    module: fx.GraphModule, prepared: float, frame_state: dict[str, Any], reasons: list[str]
) -> Iterator[None]:
    """Make torch see the block as a compilation of ``module``'s code.

    It has a compile id (``!3/7/0``) of the capture that is running, runs the callbacks of
    ``torch._dynamo.callback``, counts, and leaves ``compilation_metrics``, to which the
    ``prepared`` seconds before it belong. An exception ends it as one that failed. Sessions of one
    ``frame_state`` are compilations of one code (``!3/7/0``, ``!3/7/1``), all but the first for
    ``reasons``, as Dynamo words them.
    """
    code: CodeType = type(module).forward.__code__
    compile_id = get_compile_id(frame_state)
    metrics = get_metrics_context()
    counters["frames"]["total"] += 1
    with (
        compile_context(CompileContext(compile_id)),
        chromium_event_timed("dynamo", reset_event_log_on_exit=True, log_pt2_compile_event=True),
        metrics,
        dynamo_timed(
            "_compile.compile_inner",
            phase_name="entire_frame_compile",
            dynamo_compile_column_us="dynamo_cumulative_compile_time_us",
        ),
        callback_handler.install_callbacks(CallbackTrigger.DYNAMO, str(compile_id)),
    ):
        calls = sum(node.op.startswith("call_") for node in module.graph.nodes)
        microseconds = int(prepared * 1e6)
        for column in ("dynamo_cumulative_compile_time_us", "duration_us"):
            metrics.increment(column, microseconds)
        metrics.update_outer(
            {
                "start_time_us": time.time_ns() // 1000 - microseconds,
                "co_name": code.co_name,
                "co_filename": code.co_filename,
                "co_firstlineno": code.co_firstlineno,
                "stack_trace": _write_start(code),
                "graph_op_count": calls,
                "graph_node_count": len(module.graph.nodes),
                "is_forward": True,
            }
        )
        if reasons:
            trace_structured(
                "artifact",
                metadata_fn=lambda: {"name": "recompile_reasons", "encoding": "json"},
                payload_fn=lambda: reasons,
            )
        trace_structured(
            "dynamo_output_graph",
            lambda: {"sizes": {}},
            payload_fn=lambda: module.print_readable(print_output=False),
        )
        counters["stats"]["calls_captured"] += calls
        counters["stats"]["unique_graphs"] += 1
        yield
        counters["frames"]["ok"] += 1
        metrics.update_outer({"has_guarded_code": True})


def backend_phase() -> Any:
    """Count the block as the backend's share of the session's time."""
    return dynamo_timed(
        "OutputGraph.call_user_compiler",
        phase_name="backend_compile",
        log_pt2_compile_event=True,
        dynamo_compile_column_us="aot_autograd_cumulative_compile_time_us",
    )


def announce_aten_graph(graph: fx.Graph) -> None:
    """To the trace, as AOTAutograd does."""
    trace_structured(
        "aot_inference_graph",
        payload_fn=lambda: fx.GraphModule({}, graph).print_readable(
            print_output=False, include_stride=True, include_device=True
        ),
    )


def _write_start(code: CodeType) -> list[str]:
    """Write ``dynamo_start``; return the same stack as lines of text, as metrics hold it."""
    # Without this function, the session and contextlib's frame around it.
    captured: Any = CapturedTraceback
    stack = captured.extract(skip=_OWN_FRAMES).summary()
    compiled = {
        "line": code.co_firstlineno,
        "name": code.co_name,
        "filename": intern_string(code.co_filename),
    }
    trace_structured("dynamo_start", lambda: {"stack": [*from_traceback(stack), compiled]})
    frames = [(found.lineno, found.name, found.filename) for found in stack]
    frames.append((code.co_firstlineno, code.co_name, code.co_filename))
    return [f"Line: {line}, Name: {name}, Filename: {file}" for line, name, file in frames]
