"""Less in the trace of a run: what neither `ca` nor tlparse reads is left out.

Torch writes a record with two stacks for each symbol and each guard on one. Measured on a GPT-2
of six layers whose sequence length changes (torch 2.13.0): 16.5 MB become 9.4 MB. Tlparse's pages
are the same to the byte without `UNREAD`; without the stacks of `WITHOUT_STACK` its pages of
compilation metrics show the user's stack alone.
"""

from __future__ import annotations

import copy
import logging
from typing import Any

from ca_engine.compat import structured_trace

UNREAD = frozenset({"create_symbol", "describe_source", "describe_storage", "describe_tensor"})
# Their ``user_stack`` stays; ``stack`` is all of torch's own frames.
WITHOUT_STACK = ("guard_added_fast", "symbolic_shape_specialization")


def write_less(folder: str) -> None:
    """Has the handlers that write a trace below ``folder`` leave out what nobody reads."""
    for handler in structured_trace.file_handlers(below=folder):
        handler.addFilter(_is_read)
        handler.setFormatter(_ShortStacks(handler.formatter or logging.Formatter()))


def _is_read(record: logging.LogRecord) -> bool:
    return UNREAD.isdisjoint(structured_trace.metadata_of(record))


class _ShortStacks(logging.Formatter):
    """``formatter`` for records without the stacks that nobody reads.

    Other handlers get the same record, so it is a copy that is changed.
    """

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        metadata = structured_trace.metadata_of(record)
        for kind in WITHOUT_STACK:
            about: Any = metadata.get(kind)
            if isinstance(about, dict) and "stack" in about:
                kept = {name: value for name, value in about.items() if name != "stack"}
                record = copy.copy(record)
                structured_trace.set_metadata(record, {**metadata, kind: kept})
                break
        return self._formatter.format(record)
