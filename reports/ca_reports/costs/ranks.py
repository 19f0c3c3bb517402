"""The ranks of one job side by side: where they part, why, and how long the others waited.

Ranks that do the same work capture the same backwards at the same steps. One that captures
alone stalls all others at the next collective: they wait as long as it compiles. Pure
functions of a ``Run``; no clock of one rank is held against that of another.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from ca_engine.lazy_classes import dataclass
from ca_reports.costs.waits import gave_up, stalls_by_captures, stalls_by_compiles, step_of
from ca_reports.facts.recompile_limits import step_starts
from ca_reports.facts.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from ca_reports.costs.bill import BillLine
    from ca_reports.costs.waits import Stall
    from ca_reports.facts.costs import Costs
    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.run.model import Capture, Compile, GraphBreak, Process, Run

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

    ``position`` counts the captures that are equal, or the compiles of a job that captured none.
    ``own`` and ``other`` are those that come next on these ranks and on the compared ones; None:
    there is no further one. ``step`` is the earlier of their steps.
    """

    ranks: tuple[int, ...]
    position: int
    step: int | None
    own: Capture | Compile | None
    other: Capture | Compile | None


@dataclass(frozen=True, slots=True)
class SizesApart:
    """A function whose first compile had other sizes of ``argument`` on some ranks."""

    compiled: Compile
    argument: str
    sizes: Mapping[int, tuple[int | None, ...]]


@dataclass(frozen=True, slots=True)
class RankComparison:
    """``alike`` are the ranks that the others are compared with: the largest equal group.

    Equal are ranks with the same captures; of a job that is ``forward_only``, in which no rank
    captured anything, with the same compiles. Partings and stalls are about the same. ``timeout``
    are the seconds after which a collective of the job fails, None if that was not recorded;
    ``gave_up`` the ranks that ended by that, and ``apart`` what ranks compiled for other sizes.
    """

    rows: tuple[RankRow, ...]
    alike: tuple[int, ...]
    partings: tuple[Parting, ...]
    stalls: tuple[Stall, ...]
    restarts: int
    forward_only: bool
    timeout: float | None = None
    gave_up: tuple[int, ...] = ()
    apart: tuple[SizesApart, ...] = ()

    @property
    def longest_wait(self) -> float | None:
        """Return the longest time that a rank waited for another one; None if none did."""
        return max(
            (seconds for stall in self.stalls for seconds in stall.waited.values()), default=None
        )

    @property
    def waited(self) -> float:
        """Rank-seconds that ranks waited for others that captured."""
        return sum(stall.total for stall in self.stalls)

    @property
    def in_full(self) -> int:
        """Return the rank to show in full: the first of those that are alike."""
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
    of_rank = {rank: _Compared.of(chosen[rank], forward_only=forward_only) for rank in ranks}
    groups: dict[tuple[_Signature, ...], list[int]] = defaultdict(list)
    for rank in ranks:
        groups[of_rank[rank].signatures].append(rank)
    alike = max(groups.values(), key=lambda found: (len(found), -found[0]))  # of equals the first
    partings = [
        parting
        for group in groups.values()
        if group is not alike
        and (parting := _parting(group, of_rank[group[0]], of_rank[alike[0]])) is not None
    ]
    partings.sort(key=lambda found: (found.step is None, found.step or 0, found.ranks))
    return RankComparison(
        rows=tuple(_row(run, costs, rank, chosen[rank]) for rank in ranks),
        alike=tuple(alike),
        partings=tuple(partings),
        stalls=stalls_by_compiles(chosen) if forward_only else stalls_by_captures(chosen),
        restarts=restarts,
        forward_only=forward_only,
        timeout=_timeout(chosen.values()),
        gave_up=tuple(rank for rank in ranks if gave_up(chosen[rank])),
        apart=tuple(_sizes_apart(chosen)),
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


@dataclass(frozen=True, slots=True)
class _Compared:
    """A rank's events to compare, with the signature and the step of each (None if unknown)."""

    events: tuple[Capture | Compile, ...]
    signatures: tuple[_Signature, ...]
    steps: tuple[int | None, ...]
    last_step: int | None

    @classmethod
    def of(cls, process: Process, *, forward_only: bool) -> _Compared:
        captures, compiles = process.captures, process.compiles
        if not forward_only:
            steps = tuple(capture.step for capture in captures)
            return cls(captures, tuple(map(_signature, captures)), steps, _last_step(process))
        known = step_starts(process)
        return cls(
            compiles,
            tuple(map(_compile_signature, compiles)),
            tuple(step_of(compiled, process) for compiled in compiles),
            len(known) - 1 if known else None,
        )


def _parting(ranks: Sequence[int], own: _Compared, reference: _Compared) -> Parting | None:
    """None if the shorter of both is the beginning of the longer, which only went on."""
    ours, theirs = own.signatures, reference.signatures
    position = next(
        (
            index
            for index, (first, second) in enumerate(zip(ours, theirs, strict=False))
            if first != second
        ),
        min(len(ours), len(theirs)),
    )
    next_ones = [
        (one.events[position], one.steps[position]) if position < len(one.events) else (None, None)
        for one in (own, reference)
    ]
    (mine, own_step), (other, other_step) = next_ones
    step = min((found for found in (own_step, other_step) if found is not None), default=None)
    shorter = own if mine is None else reference if other is None else None
    if shorter is not None and step is not None:
        last = shorter.last_step
        if last is not None and last < step:
            return None
    return Parting(tuple(ranks), position, step, mine, other)


def _timeout(processes: Iterable[Process]) -> float | None:
    """Return the shortest timeout of the ranks' groups; None if none was recorded."""
    groups = (process.group for process in processes)
    return min((one.timeout for one in groups if one is not None and one.timeout), default=None)


def _sizes_apart(chosen: Mapping[int, Process]) -> Iterator[SizesApart]:
    """Yield each function that ranks compiled first for other sizes of the same argument."""
    first: dict[_Signature, dict[int, Compile]] = defaultdict(dict)
    for rank, process in chosen.items():
        for compiled in process.compiles:
            if compiled.is_forward and not compiled.has_failed_guards:
                first[_compile_signature(compiled)].setdefault(rank, compiled)
    for compiles in first.values():
        if len(compiles) < len(chosen):
            continue
        shapes = {rank: _shapes(compiled) for rank, compiled in compiles.items()}
        one, *others = shapes.values()
        for name, shape in one.items():
            known = [other[name] for other in others if name in other]
            alike_long = len(known) == len(others) and {*map(len, known)} == {len(shape)}
            if alike_long and {*known} != {shape}:
                sizes = {rank: of_rank[name] for rank, of_rank in shapes.items()}
                yield SizesApart(next(iter(compiles.values())), name, sizes)


def _shapes(compiled: Compile) -> dict[str, tuple[int | None, ...]]:
    arguments = () if compiled.held is None else compiled.held.arguments
    return {name: held.shape for name, held in arguments if held.shape}


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


def distinct_captures(run: Run, comparison: RankComparison | None) -> tuple[Capture, ...]:
    """Return the captures of one rank in full, and of the others those from where they part."""
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
    """Return those of one rank in full, and of the others those that it has not."""
    return distinct(
        found, comparison, lambda compiled: (compiled.compile_id, compiled.recompile_reason)
    )


def distinct_breaks(
    found: Iterable[GraphBreak], comparison: RankComparison | None
) -> tuple[GraphBreak, ...]:
    """Return the same of graph breaks."""
    return distinct(found, comparison, lambda broken: broken.cause)


def distinct_dimensions(
    found: Iterable[DynamicDimension], comparison: RankComparison | None
) -> tuple[DynamicDimension, ...]:
    """Return the same of dimensions: one is another's where it had the same sizes."""
    return distinct(found, comparison, lambda one: (one.location, one.source, one.index, one.sizes))


def distinct_bill(
    found: Iterable[BillLine], comparison: RankComparison | None
) -> tuple[BillLine, ...]:
    """Pair what compiling cost: one function is another's where it was compiled as often."""
    return distinct(found, comparison, lambda line: (line.location, line.compiles))


def distinct(
    found: Iterable[_OfProcess],
    comparison: RankComparison | None,
    key: Callable[[_OfProcess], Hashable],
) -> tuple[_OfProcess, ...]:
    """Return what the rank that is shown in full has, and of the others what none before them has.

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
