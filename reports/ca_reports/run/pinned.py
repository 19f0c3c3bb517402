"""Reads which line made a size a constant: torch's ``symbolic_shape_specialization`` records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_engine import guards
from ca_reports.logs.fields import mapping, text, texts
from ca_reports.run.frames import torch_frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.stack import Frame

KIND = "symbolic_shape_specialization"
# Of one compile: each size of its inputs becomes a constant once.
MAX_PINNED = 256
_MAX_SOURCES = 16
# Failed guards name the variable alone.
_OF_FRAME = re.compile(r"^L\['(\w+)'\]")
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class PinnedSize:
    """A dynamic size of which a compile made the constant ``value``.

    ``source`` and ``index`` are the tensor, as guards name it, and its dimension. ``stack`` are the
    frames that the compiled code was traced in by then, the innermost last, libraries' too.
    """

    source: str
    index: int
    value: int
    stack: tuple[Frame, ...]


def pinned_sizes(body: object, strings: dict[int, str]) -> Iterator[PinnedSize]:
    """Yield what a record says: one size of each tensor that has it; nothing of a torn one."""
    raw = mapping(body)
    value = text(raw.get("value")) or ""
    stack = torch_frames(raw.get("user_stack"), strings)
    if not (value.isdecimal() and len(value) < _LONGEST and stack):
        return
    for source in texts(raw.get("sources"))[:_MAX_SOURCES]:
        if len(source) > _LONGEST:
            continue
        for guard in guards.parse(f"{source} == {value[:18]}"):
            if guard.kind == "size_relation" and guard.index is not None:
                named = _OF_FRAME.sub(r"\g<1>", guard.source)
                yield PinnedSize(named, guard.index, int(value[:18]), stack)
