"""Frames as records have them: ours, and torch's."""

from __future__ import annotations

from functools import lru_cache

from ca_engine.source_redaction import redact_source
from ca_reports.logs.fields import MOST_SHARED, integer, items, mapping, shared, text
from ca_reports.program.stack import Frame

MAX_FRAMES = 200
# The stacks of one program's compiles and captures have most of their frames in common.
_FRAMES = 4_096


@shared
def own_frames(value: object) -> tuple[Frame, ...]:
    """Return frames as our records write them (``schema.FrameRecord``)."""
    found = []
    for entry in items(value)[:MAX_FRAMES]:
        raw = mapping(entry)
        file = text(raw.get("file"))
        if file is not None:
            found.append(
                _frame(
                    file,
                    integer(raw.get("line")) or 0,
                    text(raw.get("function")) or "",
                    text(raw.get("code")) or "",
                )
            )
    return tuple(found)


def torch_frames(value: object, strings: dict[int, str]) -> tuple[Frame, ...]:
    """Return frames as torch writes them: ``line``, ``name``, ``filename`` (interned), ``loc``."""
    found = []
    for entry in items(value)[:MAX_FRAMES]:
        raw = mapping(entry)
        name = raw.get("filename")
        file = strings.get(name) if type(name) is int else text(name)
        found.append(
            _frame(
                file or "?",
                integer(raw.get("line")) or 0,
                text(raw.get("name")) or "",
                text(raw.get("loc")) or "",
            )
        )
    return tuple(found)


def _frame(file: str, line: int, function: str, code: str) -> Frame:
    """Return the one frame of these; of long texts a new one, which nobody keeps for others."""
    is_short = len(file) + len(function) + len(code) <= MOST_SHARED
    return (_shared_frame if is_short else frame)(file, line, function, code)


def frame(file: str, line: int, function: str, code: str) -> Frame:
    """Return a frame whose line of source, which torch quotes as it is, names no secret."""
    return Frame(file, line, function, redact_source(code))


_shared_frame = lru_cache(_FRAMES)(frame)
