"""Reads our own record of how a captured graph reached its backend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import (
    duration,
    integer,
    integers,
    mapping,
    moment,
    read_by,
    read_fields,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedBackground:
    """``schema.LoweringBackground``, as the last record of the capture has it."""

    state: str | None = read_by(text)
    backwards: int | None = read_by(integer)
    waited: float | None = read_by(duration)
    own_seconds: float | None = read_by(duration)
    compile_seconds: float | None = read_by(duration)
    reason: str | None = read_by(text)

    @property
    def is_done(self) -> bool:
        return self.state in ("ready", "guard")

    @property
    def is_known(self) -> bool:
        """Return whether an earlier start had compiled the graph, so that no other process did."""
        return self.is_done and self.compile_seconds is None


def _background(value: object) -> RecordedBackground | None:
    found = mapping(value)
    return RecordedBackground(**read_fields(RecordedBackground, found)) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLowering:
    """``schema.LoweringRecord``; what is missing or broken is None.

    Of a graph that was lowered for several sets of sizes, ``seconds`` are those of all, and
    ``size_sets`` is how many. Of a lowered graph that Dynamo compiled later, because a guard failed
    or too many sizes came, ``reason`` and ``detail`` say so. ``time`` is when that was recorded, or
    when a graph that was compiled in the background took over.
    """

    time: float | None = read_by(moment)
    way: str | None = read_by(text)
    backend: str | None = read_by(text)
    seconds: float | None = read_by(duration)
    size_sets: int = 0
    cache: str | None = read_by(text)
    cache_reason: str | None = read_by(text)
    reason: str | None = read_by(text)
    detail: str | None = read_by(text)
    file: str | None = read_by(text)
    line: int | None = read_by(integer)
    background: RecordedBackground | None = read_by(_background)

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> RecordedLowering:
        """Read a record, or as much of one as is known."""
        return cls(**read_fields(cls, raw), size_sets=int(bool(integers(raw.get("sizes")))))

    def for_more_sizes(self, found: RecordedLowering) -> RecordedLowering:
        """Return what both records say of the graph together."""
        return replace(
            self,
            seconds=(self.seconds or 0.0) + (found.seconds or 0.0),
            size_sets=self.size_sets + found.size_sets,
        )

    @property
    def is_lowered(self) -> bool:
        """Return whether the graph reached its backend without Dynamo."""
        return self.way not in (None, "no")

    @property
    def is_left_to_dynamo(self) -> bool:
        """Return whether Dynamo compiles it for other inputs than those that it was lowered for."""
        return self.reason in ("guard", "many_sizes")
