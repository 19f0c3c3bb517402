"""Reads which line made a size a constant: torch's ``symbolic_shape_specialization`` records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import mapping, text, texts
from ca_reports.run.frames import torch_frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.stack import Frame

KIND = "symbolic_shape_specialization"
# Of one compile: each size of its inputs becomes a constant once.
MAX_PINNED = 256
_MAX_SOURCES = 16
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class PinnedSize:
    """A dynamic size of which a compile made the constant ``value``.

    ``source`` is the size as torch writes it, ``L['x'].size()[0]``. ``stack`` are the frames that
    the compiled code was traced in by then, the innermost last, libraries' too.
    """

    source: str
    value: int
    stack: tuple[Frame, ...]


def pinned_sizes(body: object, strings: dict[int, str]) -> Iterator[PinnedSize]:
    """Yield what a record says: each size that is this one; nothing of a torn record."""
    raw = mapping(body)
    value = text(raw.get("value")) or ""
    stack = torch_frames(raw.get("user_stack"), strings)
    if not (value.isdecimal() and len(value) < _LONGEST and stack):
        return
    for source in texts(raw.get("sources"))[:_MAX_SOURCES]:
        if len(source) <= _LONGEST:
            yield PinnedSize(source, int(value[:18]), stack)
