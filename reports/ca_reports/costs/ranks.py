"""The ranks of one job side by side: where they part, why, and how long the others waited.

Ranks that do the same work capture the same backwards at the same steps. One that captures
alone stalls all others at the next collective: they wait as long as it compiles. Pure
functions of a ``Run``; no clock of one rank is held against that of another.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Protocol, TypeVar

from ca_reports.facts.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from ca_reports.costs.bill import BillLine
    from ca_reports.facts.costs import Costs
    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.run.model import Capture, Compile, GraphBreak, Process, Run

# Pairs of (recapture, rank) whose waiting is looked at; beyond it a job of thousands of
# ranks that all part at every step would take minutes.
MAX_STALLS = 10_000

_Signature = tuple[object, ...]


class HasProcess(Protocol):
    """What a process of the run has; ``process`` is its number."""

    @property
    def process(self) -> int: ...


_OfProcess = TypeVar("_OfProcess", bound=HasProcess)


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rank in numbers; None where its log cannot tell. ``seconds_lost`` as in `Summary`.

    ``compiles``, ``recompiles`` and ``seconds_compiling`` are those of user code.

    ``last_step`` is the last backward that was recorded; ``ended`` whether the closing record
    is there (a rank that crashed by an exception has one, one that was killed has not);
    ``is_running`` whether the rank is known to go on.
    """

    rank: int
    process: int
    captures: int
    recaptures: int
    backwards: int | None
    hits: int | None
    compiles: int | None
    recompiles: int | None
    graph_breaks: int | None
    seconds_compiling: float | None
    seconds_lost: float | None
    last_step: int | None
    ended: bool
    is_running: bool
    error: str | None


@dataclass(frozen=True, slots=True)
class Parting:
    """First event at which ``ranks``, which are alike, part from the ranks compared with.

    ``position`` counts the captures that are equal. ``own`` and ``other`` are the captures
    that come next on these ranks and on the compared ones; None: there is no further one.
    ``step`` is the earlier of their steps.
    """

    ranks: tuple[int, ...]
    position: int
    step: int | None
    own: Capture | None
    other: Capture | None


@dataclass(frozen=True, slots=True)
class Stall:
    """A recapture that not every rank had at that step.

    ``seconds`` is what it took on ``rank`` beyond an ordinary backward; ``waited`` how much
    longer than usual that step was on each rank that had nothing to capture, never more
    than ``seconds``.
    """

    rank: int
    capture: Capture
    step: int
    seconds: float
    waited: Mapping[int, float]

    @property
    def total(self) -> float:
        """Rank-seconds that the others waited."""
        return sum(self.waited.values())


@dataclass(frozen=True, slots=True)
class RankComparison:
    """``alike`` are the ranks that the others are compared with: the largest equal group.

    Equal are ranks with the same captures; of a job that is ``forward_only``, in which no rank
    captured anything, with the same compiles. Partings and stalls are about captures.
    """

    rows: tuple[RankRow, ...]
    alike: tuple[int, ...]
    partings: tuple[Parting, ...]
    stalls: tuple[Stall, ...]
    restarts: int
    forward_only: bool

    @property
    def waited(self) -> float:
        """Rank-seconds that ranks waited for others that captured."""
        return sum(stall.total for stall in self.stalls)

    @property
    def in_full(self) -> int:
        """The rank to show in full: the first of those that are alike."""
        return self.alike[0]


def compare_ranks(run: Run, costs: Costs) -> RankComparison | None:
    """Compare the ranks; None if fewer than two are known, or all ended well and did nothing.

    Of a rank with several processes (a job that was restarted) the last one counts.
    """
    chosen: dict[int, Process] = {}
    restarts = 0
    for process in run.processes:
        if process.rank is None:
            continue
        earlier = chosen.get(process.rank)
        restarts += earlier is not None
        if earlier is None or (process.start or 0.0) >= (earlier.start or 0.0):
            chosen[process.rank] = process
    if len(chosen) < 2:
        return None
    ranks = sorted(chosen)
    compiled = any(process.compiles for process in chosen.values())
    if all(process.idle and process.end is not None for process in chosen.values()):
        return None
    forward_only = compiled and not any(process.captures for process in chosen.values())
    groups: dict[tuple[_Signature, ...], list[int]] = defaultdict(list)
    for rank in ranks:
        signatures = map(_signature, chosen[rank].captures)
        if forward_only:
            signatures = map(_compile_signature, chosen[rank].compiles)
        groups[tuple(signatures)].append(rank)
    alike = max(groups.values(), key=lambda found: (len(found), -found[0]))  # of equals the first
    reference = chosen[alike[0]]
    partings = [
        parting
        for group in groups.values()
        if group is not alike
        and (parting := _parting(group, chosen[group[0]], reference)) is not None
    ]
    partings.sort(key=lambda found: (found.step is None, found.step or 0, found.ranks))
    return RankComparison(
        rows=tuple(_row(run, costs, rank, chosen[rank]) for rank in ranks),
        alike=tuple(alike),
        partings=tuple(partings),
        stalls=_stalls(chosen),
        restarts=restarts,
        forward_only=forward_only,
    )


def _signature(capture: Capture) -> _Signature:
    """Return what is equal for the same capture on two ranks: where it was, what diverged."""
    call = capture.backward_call
    node = capture.node
    return (
        capture.kind,
        None if node is None else (node.index, node.name),
        capture.key_size,
        capture.previous_key_sizes,
        capture.sizes_changed,
        None if call is None else (call.file, call.line),
        capture.step,
    )


def _compile_signature(compiled: Compile) -> _Signature:
    # Guards name values; ranks that compile for others are the same program all the same.
    place = compiled.location
    return compiled.compile_id, None if place is None else (place.file, place.line)


def _parting(ranks: Sequence[int], own: Process, reference: Process) -> Parting | None:
    """None if the shorter of both is the beginning of the longer, which only went on."""
    ours, theirs = own.captures, reference.captures
    position = next(
        (
            index
            for index, (first, second) in enumerate(zip(ours, theirs, strict=False))
            if _signature(first) != _signature(second)
        ),
        min(len(ours), len(theirs)),
    )
    mine = ours[position] if position < len(ours) else None
    other = theirs[position] if position < len(theirs) else None
    steps = [found.step for found in (mine, other) if found is not None and found.step is not None]
    step = min(steps, default=None)
    shorter = own if mine is None else reference if other is None else None
    if shorter is not None and step is not None:
        last = _last_step(shorter)
        if last is not None and last < step:
            return None
    return Parting(tuple(ranks), position, step, mine, other)


def _row(run: Run, costs: Costs, rank: int, process: Process) -> RankRow:
    summary = summarize(replace(run, processes=(process,), recorded=(), damage=()), costs)
    return RankRow(
        rank=rank,
        process=process.index,
        captures=summary.captures,
        recaptures=summary.recaptures,
        backwards=summary.backwards,
        hits=summary.hits,
        compiles=summary.forward_compiles,
        recompiles=summary.forward_recompiles,
        graph_breaks=summary.graph_breaks,
        seconds_compiling=summary.forward_seconds,
        seconds_lost=summary.seconds_lost,
        last_step=_last_step(process),
        ended=process.end is not None,
        is_running=process.is_running,
        error=None if process.end is None else process.end.error,
    )


def _last_step(process: Process) -> int | None:
    rows = process.backwards
    return max(rows.steps) if rows is not None and len(rows) else None


class _Steps:
    """Return the time of each step of a rank, from the begin of its backward to the next one's."""

    def __init__(self, process: Process) -> None:
        self.whole: dict[int, float] = {}
        self.backward: dict[int, float] = {}
        self.misses: set[int] = set()
        rows = process.backwards
        if rows is None:
            self.usual = self.usual_backward = 0.0
            return
        order = sorted(range(len(rows)), key=rows.start.__getitem__)
        for position, row in enumerate(order):
            step = rows.steps[row]
            self.backward[step] = rows.seconds[row]
            if rows.miss[row]:
                self.misses.add(step)
            if position + 1 < len(order):
                self.whole[step] = rows.start[order[position + 1]] - rows.start[row]
            else:
                self.whole[step] = rows.seconds[row]
        hits = [step for step in self.whole if step not in self.misses]
        self.usual = median(self.whole[step] for step in hits) if hits else 0.0
        self.usual_backward = median(self.backward[step] for step in hits) if hits else 0.0


def _stalls(chosen: Mapping[int, Process]) -> tuple[Stall, ...]:
    steps = {rank: _Steps(process) for rank, process in chosen.items()}
    missed: dict[int, set[int]] = defaultdict(set)
    for rank, found in steps.items():
        for step in found.misses:
            missed[step].add(rank)
    # What a step took longer than usual can be laid on one stall only: the longest.
    stalls: list[Stall] = []
    looked_at = 0
    for step in sorted(missed):
        if len(missed[step]) == len(chosen):
            continue
        captured = {
            rank: steps[rank].backward[step] - steps[rank].usual_backward for rank in missed[step]
        }
        rank = max(captured, key=lambda rank: (captured[rank], -rank))
        capture = next(
            (found for found in chosen[rank].captures if found.step == step and found.is_recapture),
            None,
        )
        if capture is None:
            continue
        looked_at += len(chosen)
        if looked_at > MAX_STALLS * len(chosen):
            break
        waited = {}
        for other, found in steps.items():
            if other not in missed[step] and step in found.whole and found.usual:
                longer = min(found.whole[step] - found.usual, captured[rank])
                if longer > 0:
                    waited[other] = longer
        stalls.append(Stall(rank, capture, step, max(0.0, captured[rank]), waited))
    return tuple(stalls)


def distinct_captures(run: Run, comparison: RankComparison | None) -> tuple[Capture, ...]:
    """The captures of one rank in full, and of the others those from where they part."""
    if comparison is None:
        return run.captures
    from_position = {comparison.in_full: 0}
    for found in comparison.partings:
        from_position[found.ranks[0]] = found.position
    process_of = {row.rank: row.process for row in comparison.rows}
    begin = {process_of[rank]: position for rank, position in from_position.items()}
    return tuple(
        capture
        for process in run.processes
        if process.rank is None or process.index in begin
        for capture in process.captures[begin.get(process.index, 0) :]
    )


def distinct_recompiles(
    found: Iterable[Compile], comparison: RankComparison | None
) -> tuple[Compile, ...]:
    """Those of one rank in full, and of the others those that it has not."""
    return distinct(
        found, comparison, lambda compiled: (compiled.compile_id, compiled.recompile_reason)
    )


def distinct_breaks(
    found: Iterable[GraphBreak], comparison: RankComparison | None
) -> tuple[GraphBreak, ...]:
    """The same of graph breaks."""
    return distinct(found, comparison, lambda broken: broken.cause)


def distinct_dimensions(
    found: Iterable[DynamicDimension], comparison: RankComparison | None
) -> tuple[DynamicDimension, ...]:
    """The same of dimensions: one is another's where it had the same sizes."""
    return distinct(found, comparison, lambda one: (one.location, one.source, one.index, one.sizes))


def distinct_bill(
    found: Iterable[BillLine], comparison: RankComparison | None
) -> tuple[BillLine, ...]:
    """The same of what compiling cost: one function is another's where it was compiled as often."""
    return distinct(found, comparison, lambda line: (line.location, line.compiles))


def distinct(
    found: Iterable[_OfProcess],
    comparison: RankComparison | None,
    key: Callable[[_OfProcess], Hashable],
) -> tuple[_OfProcess, ...]:
    """What the rank that is shown in full has, and of the others what none before them has.

    ``key`` tells what is the same on several ranks. All of a process without a rank is kept.
    """
    if comparison is None:
        return tuple(found)
    rank_of = {row.process: row.rank for row in comparison.rows}
    every = tuple(found)
    seen = {key(one) for one in every if rank_of.get(one.process) == comparison.in_full}
    kept = []
    for one in every:
        rank = rank_of.get(one.process)
        if rank is None or rank == comparison.in_full or key(one) not in seen:
            kept.append(one)
            seen.add(key(one))
    return tuple(kept)
