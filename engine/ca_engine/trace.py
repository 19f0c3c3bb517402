"""Writing to torch's structured trace, and only when someone reads it.

``TORCH_TRACE=dir`` gives every process of a program one trace file; all our records and the
engine's own go through it, so any reader of that format can read them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from torch._guards import CompileId
from torch._logging._internal import (
    LazyTraceHandler,
    TorchLogsFormatter,
    trace_log,
    trace_structured,
)

from ca_engine import full_disk


def is_listening() -> bool:
    """Whether a trace is being written at all; if not, no payload is worth building."""
    return bool(trace_log.handlers)


def has_file() -> bool:
    """Whether a trace goes into a file: not only to handlers of others, such as pytest's."""
    return any(
        isinstance(handler, LazyTraceHandler) and handler.root_dir is not None
        for handler in trace_log.handlers
    )


def without_others() -> AbstractContextManager[None]:
    """Meanwhile no handler gets the trace that only happens to listen to every logger."""
    return _without(lambda handler: not isinstance(handler, LazyTraceHandler))


def only_to(chosen: logging.Handler) -> AbstractContextManager[None]:
    """Meanwhile ``chosen`` alone gets the trace."""
    return _without(lambda handler: handler is not chosen)


@contextmanager
def _without(left_out: Callable[[logging.Handler], bool]) -> Iterator[None]:
    others = [handler for handler in trace_log.handlers if left_out(handler)]
    for handler in others:
        trace_log.removeHandler(handler)
    try:
        yield
    finally:
        for handler in others:
            trace_log.addHandler(handler)


@contextmanager
def written_to(folder: Path) -> Iterator[logging.Handler]:
    """Writes a trace into ``folder`` as if ``TORCH_TRACE`` had named it, beside any other.

    The ``with`` statement binds the handler that does so.
    """
    handler = LazyTraceHandler(str(folder))
    handler.setFormatter(TorchLogsFormatter(trace=True))
    level = trace_log.level
    trace_log.setLevel(logging.DEBUG)
    trace_log.addHandler(handler)
    # In front: torch's own handler, without a folder, removes itself from this list when it
    # gets its first record, while that goes through the list; whoever comes next misses it.
    trace_log.handlers.sort(key=lambda found: found is not handler)
    full_disk.keep_quiet(str(folder.absolute()))
    try:
        yield handler
    finally:
        trace_log.removeHandler(handler)
        handler.close()
        trace_log.setLevel(level)


def artifact(
    name: str,
    payload: Callable[[], object],
    *,
    encoding: str = "json",
    capture: int | None = None,
) -> None:
    """Writes an ``artifact`` record; ``payload`` is called only when a trace is written.

    With ``capture`` the record belongs to that capture, else to the process.
    """
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": name, "encoding": encoding},
        payload_fn=payload,
        expect_trace_id=False,
        compile_id=_compile_id(capture),
    )


def compact_artifact(name: str, payload: Callable[[], Any], *, capture: int | None = None) -> None:
    """The same for our own records, which can be large: JSON on a single line.

    Values that JSON doesn't know (a device, a dtype) are written as their text.
    """
    artifact(
        name,
        lambda: json.dumps(payload(), separators=(",", ":"), default=str),
        capture=capture,
    )


def record(name: str, payload: Callable[[], str], *, capture: int) -> None:
    """Writes a record of a kind of its own, such as ``compiled_autograd_graph``."""
    trace_structured(name, payload_fn=payload, compile_id=_compile_id(capture))


def _compile_id(capture: int | None) -> CompileId | None:
    if capture is None:
        return None
    return CompileId(compiled_autograd_id=capture, frame_id=None, frame_compile_id=None)
