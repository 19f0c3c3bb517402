"""Torch's structured trace: the logger behind ``TORCH_TRACE``."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import torch._logging._internal as torch_logging
from torch._guards import CompileId
from torch._logging._internal import (
    LazyTraceHandler,
    TorchLogsFormatter,
    trace_log,
    trace_structured,
)

TraceHandler = LazyTraceHandler

_AOT_AUTOGRAD, _TORCHGEN = "torch._functorch._aot_autograd.", "torchgen.utils"

# Every record goes through it. Without a handler none is made.
LOGGER: logging.Logger = trace_log


def file_handlers(*, below: str = "") -> list[TraceHandler]:
    """Return the logger's handlers that write a trace into a folder, or into one ``below``.

    Torch's own makes its file with the first record.
    """
    root = os.path.join(below, "")  # noqa: PTH118
    return [
        handler
        for handler in LOGGER.handlers
        if isinstance(handler, TraceHandler)
        and handler.root_dir is not None
        and _as_root(handler.root_dir).startswith(root)
    ]


# Handlers that are to get every record until they are let go, and the logger's class without any.
_kept: list[TraceHandler] = []
_stock: list[type[logging.Logger]] = []


class _Kept(logging.Logger):
    """Keeps what is set of it."""

    def __setattr__(self, name: str, value: object) -> None:
        """Do nothing: `logging.config` alone sets anything while a handler is kept."""

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 -- that of `logging`
        """Return whether ``level`` is recorded; `logging.disable` is about the program's logs."""
        return level >= self.level


def keep(handler: TraceHandler) -> None:
    """Have ``handler`` get all records, whatever the program does to its loggers.

    `logging.config`, by which servers begin (uvicorn, Django), turns loggers off that it does not
    name, and takes the handlers of those below one that it names. A trace is none of the
    program's logs.
    """
    if not _kept:
        LOGGER.disabled = LOGGER.propagate = False
        _stock[:] = [LOGGER.__class__]
        LOGGER.__class__ = type(_Kept.__name__, (_Kept, LOGGER.__class__), {})
    _kept.append(handler)


def let_go(handler: TraceHandler) -> None:
    """Undo `keep`."""
    if handler in _kept:
        _kept.remove(handler)
        if not _kept:
            object.__setattr__(LOGGER, "__class__", _stock.pop())


def is_in_use(handler: TraceHandler) -> bool:
    """Return whether ``handler`` gets records."""
    return handler in LOGGER.handlers


def _as_root(folder: str) -> str:
    return os.path.join(os.path.abspath(folder), "")  # noqa: PTH100, PTH118


def metadata_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return what a trace writes of ``record`` beside its payload; the record's kind is a key."""
    metadata: dict[str, Any] = getattr(record, "metadata", {})
    return metadata


def payload_of(record: logging.LogRecord) -> str | None:
    """Return the text that follows the metadata in a trace, None if nothing does."""
    payload: str | None = getattr(record, "payload", None)
    return payload


def copied(
    record: logging.LogRecord, metadata: dict[str, Any], payload: str | None = None
) -> logging.LogRecord:
    """Copy ``record`` with other metadata; with another ``payload``, too, if there is one.

    Readers compare a payload with its MD5 in the metadata, so that is computed again.
    """
    other = copy.copy(record)
    if payload is not None:
        digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        metadata = {**metadata, "has_payload": digest}
        other.payload = payload
    other.metadata = metadata
    return other


def new_handler(folder: str) -> TraceHandler:
    """Write a trace into ``folder``, as if ``TORCH_TRACE`` had named it."""
    handler = LazyTraceHandler(folder)
    handler.setFormatter(TorchLogsFormatter(trace=True))
    return handler


def write(
    kind: str,
    *,
    metadata: Callable[[], dict[str, Any]],
    payload: Callable[[], object],
    capture: int | None,
) -> None:
    """Write a record; ``metadata`` and ``payload`` are called only when a trace is written.

    With ``capture`` it belongs to that capture, else to the process.
    """
    trace_structured(
        kind,
        metadata_fn=metadata,
        payload_fn=payload,
        expect_trace_id=False,
        compile_id=_compile_id(capture),
    )


def write_any_value() -> Callable[[], None]:
    """Have torch write as text what JSON has no value for; return the way back.

    Torch writes all of its settings into a trace, and raises a `TypeError` within the compile where
    one of them is a dtype, as in ``backward_pass_autocast = [{"dtype": torch.bfloat16, …}]``
    (torch 2.13.0). Without a trace that program runs.
    """
    module: Any = torch_logging
    stock = module.json

    def dumps(value: object, **options: Any) -> str:
        try:
            return str(stock.dumps(value, **options))
        except TypeError:
            return json.dumps(value, **{**options, "default": str, "skipkeys": True})

    module.json = SimpleNamespace(**{**vars(stock), "dumps": dumps})

    def undo() -> None:
        module.json = stock

    return undo


def write_any_metadata() -> Callable[[], None]:
    """Have torch write the error where a graph's metadata cannot be shown; return the way back.

    Torch writes into a trace what AOTAutograd knows of a graph, tensors of subclasses among it.
    Printing one runs its ``__torch_dispatch__``, and what that raises ends the compile (torch
    2.13.0). Without a trace that program runs.
    """
    stock: Callable[..., str] = import_module(_TORCHGEN).dataclass_repr

    def shown(obj: Any, indent: int = 0, width: int = 80) -> str:
        try:
            return stock(obj, indent, width)
        except Exception as error:
            return f"<{type(obj).__name__}: {type(error).__name__} when it was to be shown>"

    def replace(one: object, other: object) -> None:
        # Modules that were imported before have the function by its name.
        for name, module in list(sys.modules.items()):
            is_user = name == _TORCHGEN or name.startswith(_AOT_AUTOGRAD)
            if is_user and vars(module).get("dataclass_repr") is one:
                vars(module)["dataclass_repr"] = other

    replace(stock, shown)
    return lambda: replace(shown, stock)


def _compile_id(capture: int | None) -> CompileId | None:
    if capture is None:
        return None
    return CompileId(compiled_autograd_id=capture, frame_id=None, frame_compile_id=None)
