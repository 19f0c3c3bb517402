"""The page's view of a start's use of caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.sentences import caches as words
from ca_reports.words.numbers import duration

if TYPE_CHECKING:
    from ca_reports.costs.caches.starts import Start
    from ca_reports.run.model import Frame


@dataclass(frozen=True, slots=True)
class _CauseView:
    title: str
    size: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class _Row:
    process: int
    compile: str
    location: Frame | None
    aot: str
    fx: str
    seconds: str
    saved: str


@dataclass(frozen=True, slots=True)
class CachesView:
    """What the page says of a start: in words, and a row for each compile that asked a cache."""

    headline: str
    compared: str
    causes: list[_CauseView]
    notes: list[str]
    rows: list[_Row]


def caches_view(start: Start) -> CachesView | None:
    """Return the view of ``start``; None if it asked no cache."""
    if not start.compiles:
        return None
    is_warm = start.outcomes.get("warm") == len(start.compiles)
    return CachesView(
        words.headline(start),
        "" if is_warm else words.compared(start),
        [
            _CauseView(words.cause_title(cause), words.size_of(cause), words.cause_lines(cause))
            for cause in start.causes
        ],
        words.notes(start),
        [
            _Row(
                found.process.index,
                found.compile_id,
                found.location,
                words.states(found, "aot"),
                words.states(found, "fx"),
                duration(found.seconds),
                duration(found.saved) if found.saved else "–",
            )
            for found in start.compiles
        ],
    )
