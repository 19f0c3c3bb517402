"""Torch's structured trace: the logger behind ``TORCH_TRACE``."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from torch._guards import CompileId
from torch._logging._internal import (
    LazyTraceHandler,
    TorchLogsFormatter,
    trace_log,
    trace_structured,
)

TraceHandler = LazyTraceHandler

# Every record goes through it. Without a handler none is made.
LOGGER: logging.Logger = trace_log


def file_handlers() -> list[TraceHandler]:
    """Those of the logger's handlers that write a trace into a folder, or would if they had one.

    Torch's own makes its file with the first record, in ``root_dir``; without one it leaves.
    """
    return [handler for handler in LOGGER.handlers if isinstance(handler, TraceHandler)]


def new_handler(folder: str) -> TraceHandler:
    """Writes a trace into ``folder``, as if ``TORCH_TRACE`` had named it."""
    handler = LazyTraceHandler(folder)
    handler.setFormatter(TorchLogsFormatter(trace=True))
    return handler


def write(
    kind: str,
    *,
    metadata: Callable[[], dict[str, Any]] = dict,
    payload: Callable[[], object],
    capture: int | None,
) -> None:
    """Writes a record; ``metadata`` and ``payload`` are called only when a trace is written.

    With ``capture`` it belongs to that capture, else to the process.
    """
    trace_structured(
        kind,
        metadata_fn=metadata,
        payload_fn=payload,
        expect_trace_id=False,
        compile_id=_compile_id(capture),
    )


def _compile_id(capture: int | None) -> CompileId | None:
    if capture is None:
        return None
    return CompileId(compiled_autograd_id=capture, frame_id=None, frame_compile_id=None)
