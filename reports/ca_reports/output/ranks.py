"""The ranks of a job, one in full and the others as differences: for terminal and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.sentences.captures import what_changed
from ca_reports.words.numbers import agreeing, and_more, counted, duration, joined, span
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.costs.ranks import Parting, RankComparison, RankRow, Stall
    from ca_reports.run.model import Capture

SHOWN_ROWS = 16
SHOWN_DIFFERENCES = 10


def as_json(comparison: RankComparison) -> dict[str, Any]:
    """The key ``ranks`` of the JSON output."""
    return {
        "alike": list(comparison.alike),
        "restarts": comparison.restarts,
        "waited": comparison.waited,
        "rows": [
            {
                "rank": row.rank,
                "process": row.process,
                "captures": row.captures,
                "recaptures": row.recaptures,
                "backwards": row.backwards,
                "hits": row.hits,
                "compiles": row.compiles,
                "recompiles": row.recompiles,
                "graph_breaks": row.graph_breaks,
                "seconds_compiling": row.seconds_compiling,
                "seconds_lost": row.seconds_lost,
                "last_step": row.last_step,
                "ended": row.ended,
                "error": row.error,
            }
            for row in comparison.rows
        ],
        "partings": [
            {
                "ranks": list(found.ranks),
                "position": found.position,
                "step": found.step,
                "own": None if found.own is None else found.own.label,
                "other": None if found.other is None else found.other.label,
                "text": parting(found, comparison),
            }
            for found in comparison.partings
        ],
        "stalls": [
            {
                "rank": found.rank,
                "capture": found.capture.label,
                "step": found.step,
                "seconds": found.seconds,
                "waited": found.total,
                "waiting": len(found.waited),
            }
            for found in comparison.stalls
        ],
    }


def lines(comparison: RankComparison) -> Iterator[str]:
    """Yield what there is to say beside the table, most important first."""
    if comparison.forward_only:
        yield _compiled_alike(comparison)
    elif not comparison.partings:
        yield f"All {counted(len(comparison.rows), 'rank')} captured the same, in the same order."
    for found in comparison.partings[:SHOWN_DIFFERENCES]:
        yield parting(found, comparison)
    yield from _more(len(comparison.partings), SHOWN_DIFFERENCES, "other way")
    longest = sorted(comparison.stalls, key=lambda found: -found.total)
    told = [found for found in longest if found.total > 0]
    for stalled in told[:SHOWN_DIFFERENCES]:
        yield stall(stalled)
    yield from _more(len(told), SHOWN_DIFFERENCES, "stall")
    if len(told) > 1:
        yield f"In all, ranks waited {duration(comparison.waited)} for others."
    lost = [
        row
        for row in comparison.rows
        if not (row.ended or row.is_running) and row.last_step is not None
    ]
    furthest = max((row.last_step or 0 for row in comparison.rows), default=0)
    for row in lost[:SHOWN_DIFFERENCES]:
        yield (
            f"rank {row.rank} has no closing record (killed, or still running): its last "
            f"recorded backward is step {row.last_step}, the furthest of all is {furthest}."
        )
    if comparison.restarts:
        starts = counted(comparison.restarts, "earlier start")
        yield f"{starts} of the same ranks left out: the last start counts."


def _compiled_alike(comparison: RankComparison) -> str:
    others = [row.rank for row in comparison.rows if row.rank not in comparison.alike]
    if not others:
        every = counted(len(comparison.rows), "rank")
        return f"All {every} compiled the same functions equally often."
    return (
        f"{_ranks(others)} did not compile the same as {_ranks(comparison.alike)}: other ranks "
        "wait at the next collective."
    )


def parting(found: Parting, comparison: RankComparison) -> str:
    """One sentence: who parts where, and what each side captured there."""
    who = _ranks(found.ranks)
    others = _ranks(comparison.alike)
    at = "after the same captures" if found.step is None else f"at step {found.step}"
    parts = f"{who} {agreeing(len(found.ranks), 'parts', 'part')} from {others} {at}"
    if found.own is not None and found.other is not None:
        return f"{parts}: {_what(found.own)}, against {_what(found.other)}."
    if found.own is not None:
        return f"{parts}: only {who} captured {_what(found.own)}."
    what = "nothing" if found.other is None else _what(found.other)
    return f"{parts}: only the latter captured {what}."


def stall(found: Stall) -> str:
    """One sentence: who waited for whom, how long."""
    waiting = len(found.waited)
    return (
        f"rank {found.rank} captured {found.capture.label} at step {found.step} in "
        f"{duration(found.seconds)}; {counted(waiting, 'other rank')} waited "
        f"{duration(found.total / waiting)}{agreeing(waiting, '', ' each')}."
    )


def end(row: RankRow) -> str:
    """Say how a rank ended that did not end in order; empty for one that did."""
    if row.error:
        return row.error
    if row.is_running:
        return "still running"
    return "" if row.ended else "no closing record"


def shown_rows(comparison: RankComparison) -> tuple[list[RankRow], int]:
    """The rows worth a line (one of those alike, those that differ), and how many are left out."""
    differing = {rank for found in comparison.partings for rank in found.ranks}
    failed = {row.rank for row in comparison.rows if row.error or not row.ended}
    first = [row for row in comparison.rows if row.rank == comparison.in_full]
    rest = [row for row in comparison.rows if row.rank != comparison.in_full]
    rest.sort(key=lambda row: (row.rank not in differing, row.rank not in failed, row.rank))
    rows = sorted([*first, *rest[: SHOWN_ROWS - 1]], key=lambda row: row.rank)
    return rows, len(comparison.rows) - len(rows)


def _what(capture: Capture) -> str:
    return f"{capture.label} ({what_changed(capture)})"


def _ranks(ranks: Sequence[int]) -> str:
    """``rank 3``, ``ranks 0–2 and 7``."""
    parts: list[str] = []
    begin = last = ranks[0]
    for rank in [*ranks[1:], None]:
        if rank is not None and rank == last + 1:
            last = rank
            continue
        parts.append(span(begin, last))
        if rank is not None:
            begin = last = rank
    shown = joined(parts) if len(parts) <= 4 else first_few(parts, 3)
    return f"{agreeing(len(ranks), 'rank', 'ranks')} {shown}"


def _more(found: int, shown: int, noun: str) -> Iterator[str]:
    if found > shown:
        yield f"{and_more(found - shown, noun)}."
