"""What our own record says of how a captured graph reached its backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ca_reports.fields import duration, integer, read_by, read_fields, text

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLowering:
    """``schema.LoweringRecord``; what is missing or broken is None.

    Of a lowered graph whose guard failed later, ``reason`` and ``detail`` are those of the guard.
    """

    way: str | None = read_by(text)
    backend: str | None = read_by(text)
    seconds: float | None = read_by(duration)
    cache: str | None = read_by(text)
    cache_reason: str | None = read_by(text)
    reason: str | None = read_by(text)
    detail: str | None = read_by(text)
    file: str | None = read_by(text)
    line: int | None = read_by(integer)

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> RecordedLowering:
        """Read a record, or as much of one as is known."""
        return cls(**read_fields(cls, raw))

    @property
    def is_lowered(self) -> bool:
        """Return whether the graph reached its backend without Dynamo."""
        return self.way not in (None, "no")
