"""Less in the trace of a run: what nobody reads is left out before it is written.

Measured on a GPT-2 of six layers with ten sequence lengths (torch 2.13.0): with ``dynamic=False``
a capture and the forward compiled for it take 3.8 MB, of which 2.5 MB are written. With 250 KB of
guards of a captured graph, finding those to leave out takes 0.2 ms, the new MD5 0.1 ms, and writing
them would take 0.3 ms where storage is as quick as memory; everything else saves time.

Tlparse's pages are the same to the byte without `UNREAD` and `UNREAD_METRICS`; without the stacks
of `WITHOUT_STACK` its pages of compilation metrics show the user's stack alone. Captured graphs,
which are generated code, have no pages of `UNREAD_OF_CAPTURES`, and a line at the end of their
guards counts those of `schema.MARKING_GUARD`. Of the user's forward all of these stay. Of a cache's
key the parts are written once, not with each graph (`cache_keys`).
"""

from __future__ import annotations

import logging
import re
from typing import Any

from ca_engine import cache_keys, schema
from ca_engine.compat import autograd_cache, structured_trace

UNREAD = frozenset({"create_symbol", "describe_source", "describe_storage", "describe_tensor"})
# Artifacts: each parameter's ``.grad`` with torch's own frames, and AOT autograd's own notes.
UNREAD_OF_CAPTURES = frozenset({"dynamo_side_effects", "aot_forward_graph_fw_metadata"})
# Their ``user_stack`` stays; ``stack`` is all of torch's own frames.
WITHOUT_STACK = ("guard_added_fast", "symbolic_shape_specialization")
METRICS = ("compilation_metrics", "bwd_compilation_metrics")
# All settings of torch, for each compile. ``dynamo_config`` tells whether compiled autograd is on.
UNREAD_METRICS = frozenset(
    {"graph_node_shapes", "inductor_config", "functorch_config", "compiler_config"}
)
_PARTS = {
    **dict.fromkeys(WITHOUT_STACK, frozenset({"stack"})),
    **dict.fromkeys(METRICS, UNREAD_METRICS),
}
_GUARDS = "dynamo_cpp_guards_str"
_CAPTURE = "compiled_autograd_id"  # only records of captured graphs have it
# Five for each tensor. One expression finds them in a third of the time that writing them takes.
_MARKINGS = re.compile(rf"\n[| ]*\+- {schema.MARKING_GUARD}: [^\n]*")


def write_less(folder: str) -> None:
    """Has the handlers that write a trace below ``folder`` leave out what nobody reads."""
    for handler in structured_trace.file_handlers(below=folder):
        handler.addFilter(_is_read)
        handler.setFormatter(_Shortened(handler.formatter or logging.Formatter()))


def _is_read(record: logging.LogRecord) -> bool:
    metadata = structured_trace.metadata_of(record)
    if not UNREAD.isdisjoint(metadata):
        return False
    artifact: Any = metadata.get("artifact")
    is_of_capture = isinstance(artifact, dict) and _CAPTURE in metadata
    return not (is_of_capture and artifact.get("name") in UNREAD_OF_CAPTURES)


class _Shortened(logging.Formatter):
    """``formatter`` for records without the parts that nobody reads.

    Other handlers get the same record, so it is a copy that is changed.
    """

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter
        self._keys = cache_keys.ShortenedKeys()

    def format(self, record: logging.LogRecord) -> str:
        return self._formatter.format(self._of_cache(record) or _shortened(record))

    def _of_cache(self, record: logging.LogRecord) -> logging.LogRecord | None:
        """Return a shorter copy of what a cache says of a look-up; None of any other record."""
        metadata, payload = (
            structured_trace.metadata_of(record),
            structured_trace.payload_of(record),
        )
        if not payload:
            return None
        artifact: Any = metadata.get("artifact")
        shorter = None
        if isinstance(artifact, dict):
            name = artifact.get("name")
            if isinstance(name, str) and name.startswith(cache_keys.LOOKUPS):
                shorter = self._keys.shortened(payload, _surroundings)
        elif "chromium_event" in metadata:
            shorter = cache_keys.shortened_event(payload)
        if shorter is None:
            return None
        return structured_trace.copied(record, metadata, shorter)


def _surroundings() -> cache_keys.Surroundings:
    return cache_keys.Surroundings(autograd_cache.folder(), autograd_cache.settings())


def _shortened(record: logging.LogRecord) -> logging.LogRecord:
    metadata = structured_trace.metadata_of(record)
    for kind, parts in _PARTS.items():
        about: Any = metadata.get(kind)
        if isinstance(about, dict) and not parts.isdisjoint(about):
            kept = {name: value for name, value in about.items() if name not in parts}
            return structured_trace.copied(record, {**metadata, kind: kept})
    payload = structured_trace.payload_of(record)
    if _GUARDS in metadata and _CAPTURE in metadata and payload:
        kept_guards, markings = _MARKINGS.subn("", payload)
        if markings:
            said = f"{kept_guards}\n{schema.LEFT_OUT}{markings} {schema.MARKING_GUARD}"
            return structured_trace.copied(record, metadata, said)
    return record
