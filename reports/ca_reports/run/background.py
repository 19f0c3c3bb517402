"""Reads our own record of graphs that inductor compiles in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import duration, integer, moment, read_by, read_fields, text

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundGraph:
    """``schema.BackgroundRecord``, as the last record of the graph has it."""

    graph: str | None = read_by(text)
    time: float | None = read_by(moment)
    state: str | None = read_by(text)
    calls: int | None = read_by(integer)
    waited: float | None = read_by(duration)
    own_seconds: float | None = read_by(duration)
    compile_seconds: float | None = read_by(duration)
    cache: str | None = read_by(text)
    reason: str | None = read_by(text)

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> BackgroundGraph:
        """Read a record, or as much of one as is known."""
        return cls(**read_fields(cls, raw))
