"""The ranks of a job, one in full and the others as differences: for terminal and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.run.model import Capture
from ca_reports.sentences.captures import what_changed
from ca_reports.torchlib.dynamo import JOB_VARIABLE
from ca_reports.words.numbers import (
    agreeing,
    and_more,
    counted,
    duration,
    every,
    joined,
    percent,
    set_duration,
    span,
)
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.costs.ranks import Parting, RankComparison, RankRow, SizesApart
    from ca_reports.costs.waits import Stall
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Compile, EventKey

SHOWN_ROWS = 16
SHOWN_DIFFERENCES = 10
# Part of a collective's limit from which on it is advised to raise it.
_NEAR = 0.25
_RAISE = "until no rank compiles alone, raise it by `init_process_group(timeout=…)`"


def as_json(analysis: Analysis, comparison: RankComparison) -> dict[str, Any]:
    """Return the key ``ranks`` of the JSON output."""
    return {
        "alike": list(comparison.alike),
        "restarts": comparison.restarts,
        "waited": comparison.waited,
        "longest_wait": comparison.longest_wait,
        "timeout": comparison.timeout,
        "gave_up": list(comparison.gave_up),
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
                "own": None if found.own is None else _label(found.own),
                "other": None if found.other is None else _label(found.other),
                "text": parting(found, comparison, analysis),
            }
            for found in comparison.partings
        ],
        "stalls": [
            {
                "rank": found.rank,
                "capture": _label(found.event),
                "step": found.step,
                "seconds": found.seconds,
                "waited": found.total,
                "waiting": len(found.waited),
                "is_alone": found.is_alone,
            }
            for found in comparison.stalls
        ],
        "sizes_apart": [
            {
                "compile_id": found.compiled.compile_id,
                "argument": found.argument,
                "sizes": {str(rank): list(shape) for rank, shape in found.sizes.items()},
            }
            for found in comparison.apart
        ],
        "advice": list(remedies(analysis, comparison)),
    }


def lines(analysis: Analysis, comparison: RankComparison) -> Iterator[str]:
    """Yield what there is to say beside the table, most important first."""
    noun = "compiled" if comparison.forward_only else "captured"
    whole = every(len(comparison.rows), "rank").capitalize()
    if comparison.forward_only and len(comparison.alike) == len(comparison.rows):
        yield f"{whole} compiled the same functions equally often."
    elif not comparison.partings:
        yield f"{whole} {noun} the same, in the same order."
    for found in comparison.partings[:SHOWN_DIFFERENCES]:
        yield parting(found, comparison, analysis)
    yield from _more(len(comparison.partings), SHOWN_DIFFERENCES, "other way")
    for apart in comparison.apart[:SHOWN_DIFFERENCES]:
        yield _apart(apart)
    longest = sorted(comparison.stalls, key=lambda found: -found.total)
    told = [found for found in longest if found.total > 0]
    for stalled in told[:SHOWN_DIFFERENCES]:
        yield stall(stalled)
    yield from _more(len(told), SHOWN_DIFFERENCES, "stall")
    if len(told) > 1:
        yield f"In all, ranks waited {duration(comparison.waited)} for others."
    if comparison.forward_only and comparison.partings and not told:
        yield "Other ranks wait at the next collective until a rank has compiled."
    if (limit := _limit(comparison)) is not None:
        yield limit
    yield from remedies(analysis, comparison)
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


def remedies(analysis: Analysis, comparison: RankComparison) -> Iterator[str]:
    """Yield what to do so that no rank waits for another one's compile."""
    events: dict[EventKey, Capture | Compile] = {}
    for found in comparison.partings:
        events |= {one.key: one for one in (found.own, found.other) if one is not None}
    events |= {found.event.key: found.event for found in comparison.stalls}
    causes = {
        cause.code: cause
        for cause in analysis.diagnosis.findings
        if any(event.key in events for event in cause.events)
    }
    of_sizes = [code for code, cause in causes.items() if _is_of_sizes(cause)]
    others = [code for code in causes if code not in of_sizes]
    # One that makes a size dynamic is no finding of a single process, which has it once.
    grown = any(analysis.costs.inherent(event) == "dynamic" for event in events.values())
    if of_sizes or grown:
        codes = f" ({', '.join(of_sizes)})" if of_sizes else ""
        yield (
            f"To do{codes}: run a batch of each size on every rank before the "
            "training begins, pad to the same sizes on all ranks, or compile for all sizes "
            "(`dynamic=True`). "
            f"With `{JOB_VARIABLE}` set, torch keeps which sizes changed, and the next start "
            "compiles for all of them at once."
        )
    if others:
        yield (
            f"To do ({', '.join(others)}): fix the cause, or let all ranks decide alike "
            "(`torch.distributed.broadcast`), so that they compile at the same step."
        )
    if comparison.apart:
        yield (
            "To do: mark that size dynamic (`torch._dynamo.mark_dynamic`). On GPUs "
            "`torch._dynamo.config.enable_compiler_collectives = True` makes sizes dynamic that "
            "differ between ranks; all ranks must compile at the same time then: it hangs where "
            "one compiles alone."
        )
    if any(not found.is_alone and found.total > 0 for found in comparison.stalls):
        yield (
            "To do: where ranks compile the same at the same time, let them share one cache folder "
            "(TORCHINDUCTOR_CACHE_DIR), filled by an earlier start or by one rank first."
        )


def _is_of_sizes(cause: Finding) -> bool:
    return bool(cause.subject.dimensions) or cause.rule.suggests_trial == "shapes"


def near_limit(comparison: RankComparison) -> str | None:
    """Return what a summary says of a collective's limit: None unless one came near it."""
    timeout, longest = comparison.timeout, comparison.longest_wait
    is_near = timeout is not None and longest is not None and longest >= _NEAR * timeout
    return _limit(comparison) if comparison.gave_up or is_near else None


def _limit(comparison: RankComparison) -> str | None:
    """Return how near the ranks came to the time after which their collectives fail."""
    timeout, longest = comparison.timeout, comparison.longest_wait
    if comparison.gave_up:
        after = "" if timeout is None else f" of {set_duration(timeout)}"
        return (
            f"{_ranks(comparison.gave_up)} ended because a collective waited longer than its "
            f"limit{after}: {_RAISE}."
        )
    if timeout is None or longest is None:
        return None
    near = "" if longest < _NEAR * timeout else f": {_RAISE}"
    return (
        f"The longest wait was {duration(longest)}, {percent(longest / timeout)} of the "
        f"{set_duration(timeout)} after which a collective of this job fails{near}."
    )


def parting(found: Parting, comparison: RankComparison, analysis: Analysis) -> str:
    """Return one sentence: who parts where, and what each side captured or compiled there."""
    who = _ranks(found.ranks)
    others = _ranks(comparison.alike)
    done = "compiled" if comparison.forward_only else "captured"
    at = f"after the same {'compiles' if comparison.forward_only else 'captures'}"
    if found.step is not None:
        at = f"at step {found.step}"
    parts = f"{who} {agreeing(len(found.ranks), 'parts', 'part')} from {others} {at}"
    if found.own is not None and found.other is not None:
        return f"{parts}: {_what(found.own, analysis)}, against {_what(found.other, analysis)}."
    if found.own is not None:
        return f"{parts}: only {who} {done} {_what(found.own, analysis)}."
    what = "nothing" if found.other is None else _what(found.other, analysis)
    return f"{parts}: only the latter {done} {what}."


def stall(found: Stall) -> str:
    """Return one sentence: who waited for whom, how long."""
    waiting = len(found.waited)
    waited = (
        f"{counted(waiting, 'other rank')} waited "
        f"{duration(found.total / waiting)}{agreeing(waiting, '', ' each')}"
    )
    if isinstance(found.event, Capture):
        did = f"captured {found.event.label} at step {found.step}"
    else:
        did = f"compiled {_named(found.event)} at step {found.step}"
    if found.seconds is None:
        return f"rank {found.rank} {did} and was not done when it was ended; {waited}."
    longer = "" if found.is_alone else " longer than the fastest"
    return f"rank {found.rank} {did} in {duration(found.seconds)}{longer}; {waited}."


def _apart(found: SizesApart) -> str:
    shapes: dict[str, list[int]] = {}
    for rank, shape in found.sizes.items():
        shapes.setdefault(" × ".join(map(str, shape)), []).append(rank)
    told = [f"{shape} on {_ranks(ranks)}" for shape, ranks in shapes.items()]
    return (
        f"{_named(found.compiled)} was compiled first for other sizes of `{found.argument}`: "
        f"{first_few(told, 4)}."
    )


def end(row: RankRow) -> str:
    """Say how a rank ended that did not end in order; empty for one that did."""
    if row.error:
        return row.error
    if row.is_running:
        return "still running"
    return "" if row.ended else "no closing record"


def shown_rows(comparison: RankComparison) -> tuple[list[RankRow], int]:
    """Choose rows worth a line (one of those alike, those that differ); count the others."""
    differing = {rank for found in comparison.partings for rank in found.ranks}
    failed = {row.rank for row in comparison.rows if row.error or not row.ended}
    first = [row for row in comparison.rows if row.rank == comparison.in_full]
    rest = [row for row in comparison.rows if row.rank != comparison.in_full]
    rest.sort(key=lambda row: (row.rank not in differing, row.rank not in failed, row.rank))
    rows = sorted([*first, *rest[: SHOWN_ROWS - 1]], key=lambda row: row.rank)
    return rows, len(comparison.rows) - len(rows)


def _label(event: Capture | Compile) -> str:
    return event.label if isinstance(event, Capture) else event.compile_id


def _named(compiled: Compile) -> str:
    # A compile without an end has the line that called it for its location.
    place = compiled.code or compiled.location
    return compiled.compile_id if place is None else f"{compiled.compile_id} of `{place.function}`"


def _what(event: Capture | Compile, analysis: Analysis) -> str:
    if isinstance(event, Capture):
        return f"{event.label} ({what_changed(event)})"
    if not event.has_failed_guards:
        return f"{_named(event)} (its first compile)"
    return f"{_named(event)} ({analysis.guard_that_failed(event)})"


def _ranks(ranks: Sequence[int]) -> str:
    """Return ``rank 3``, ``ranks 0–2 and 7``."""
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
