"""The numbers of a run. Pure functions of a ``Run``."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.costs import INHERENT
from ca_reports.facts.failures import failures, of_compiles
from ca_reports.run.model import Capture
from ca_reports.run.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_reports.facts.costs import Costs, Inherent
    from ca_reports.run.model import Compile, Failure, LogKind, Process, Run


@dataclass(frozen=True, slots=True)
class Apart:
    """Events that every program of its kind has, for one reason: how many, and their seconds.

    ``recaptures`` of the ``count`` events are of backwards, the others are recompiles.
    """

    why: Inherent
    count: int
    seconds: float | None
    recaptures: int = 0

    @property
    def recompiles(self) -> int:
        """Count those of its events that are compiles."""
        return self.count - self.recaptures


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all processes; None where the log cannot know.

    ``recaptures``: captures whose kind is not ``first``. ``dynamo_recompiles``: the sum of
    ``recompiled_captures`` (level 2: the graph of an existing capture) and
    ``forward_recompiles`` (user code), as torch counts them. ``graph_breaks`` counts every break,
    also where one place broke more than once; ``graph_breaks_left_out`` those at a call of
    ``backward`` itself, which compiled autograd always makes. ``seconds_lost``: capture, first
    compile and first run of the recaptures beyond a hit + all Dynamo recompiles, each once, summed
    over processes (``costs.py``), without what is inherent.
    ``gpu_waited``: those of the seconds lost in which the GPU had nothing to do; None where
    nothing measured that: on a CPU, in a log of torch's alone.
    ``inherent`` are those of the recompiles and recaptures that every program of its kind has, by
    reason (a size became dynamic, the variant for evaluation), with what they took.
    ``seconds_total``: wall time from the first process's start to the last moment that anything
    is known of, which of a run that ended is its end.
    ``forward_functions`` are those that Dynamo compiled, resume functions too, and
    ``forward_seconds`` what all compiles of user code took, None if the log does not tell.
    ``forward_only``: `Run.forward_only`.
    ``unique_graphs``: Dynamo's own count of all graphs it compiled, from ``ca_end``.
    ``missing`` are the kinds of records of which the log has not all: their numbers are None, or
    what there is at least. ``least_recompiles`` is how many there must have been, by what the
    records name. ``internal_compiles`` and ``internal_recompiles`` are of what torch called around
    captured graphs, in no other number.
    ``failures`` are the exceptions that came out of a compile, a capture or a compiled graph.
    """

    backwards: int | None
    hits: int | None
    captures: int
    recaptures: int
    dynamo_recompiles: int | None
    recompiled_captures: int | None
    forward_recompiles: int | None
    graph_breaks: int | None
    graph_breaks_left_out: int
    seconds_lost: float | None
    gpu_waited: float | None
    seconds_total: float | None
    unique_graphs: int | None
    forward_compiles: int | None
    forward_graphs: int | None
    forward_functions: int | None
    forward_seconds: float | None
    forward_only: bool
    inherent: tuple[Apart, ...]
    missing: frozenset[LogKind]
    least_recompiles: int
    internal_compiles: int
    internal_recompiles: int
    failures: tuple[Failure, ...] = ()

    @property
    def inherent_recompiles(self) -> int:
        """Count the recompiles among ``inherent``."""
        return sum(found.recompiles for found in self.inherent)

    @property
    def avoidable(self) -> int:
        """Count the recaptures and recompiles that are known and not inherent."""
        inherent = sum(found.count for found in self.inherent)
        return self.recaptures + (self.dynamo_recompiles or 0) - inherent

    @property
    def crash(self) -> Failure | None:
        """Return the exception out of a compile that ended a process; None without one."""
        return next((one for one in self.failures if one.outcome == "ended"), None)


def summarize(run: Run, costs: Costs) -> Summary:
    """Count; ``costs`` are those of ``run``, or of a run that it is a part of."""
    counted = [counts for process in run.processes if (counts := _backwards(process))]
    unique = [
        process.end.unique_graphs
        for process in run.processes
        if process.end is not None and process.end.unique_graphs is not None
    ]
    captures, missing = run.captures, run.missing
    forward = run.forward_compiles
    has_compiles = "compiles" not in missing
    forward_times = [found.seconds for found in forward if found.seconds is not None]
    no_recompiles = None if "recompiles" in missing else 0
    breaks = sum(found.count for found in run.graph_breaks)
    internal = run.internal_compiles
    return Summary(
        backwards=sum(backwards for backwards, _ in counted) if counted else None,
        hits=sum(hits for _, hits in counted) if counted else None,
        captures=len(captures),
        recaptures=sum(capture.is_recapture for capture in captures),
        dynamo_recompiles=len(run.recompiles) or no_recompiles,
        recompiled_captures=len(run.recompiled_captures) or no_recompiles,
        forward_recompiles=len(run.forward_recompiles) or no_recompiles,
        graph_breaks=breaks or (None if "graph_breaks" in missing else 0),
        graph_breaks_left_out=sum(process.graph_breaks_left_out for process in run.processes),
        seconds_lost=None if "times" in missing else seconds_lost(run.processes, costs),
        gpu_waited=costs.gpu_waited(run.processes),
        seconds_total=_seconds_total(run),
        unique_graphs=sum(unique) if unique else None,
        forward_compiles=len(forward) if has_compiles else None,
        # Text has the graphs nowhere.
        forward_graphs=(
            None if "times" in missing else sum(compiled.graphs for compiled in forward)
        ),
        forward_functions=_functions(forward) if has_compiles else None,
        forward_seconds=sum(forward_times) if forward_times else None,
        forward_only=run.forward_only,
        inherent=tuple(_inherent(run, costs)),
        missing=missing,
        least_recompiles=sum(map(_least_recompiles, run.processes)),
        internal_compiles=len(internal),
        internal_recompiles=sum(bool(found.recompile_reason) for found in internal),
        failures=tuple(one for found in run.processes for one in of_compiles(failures(found, run))),
    )


def _inherent(run: Run, costs: Costs) -> Iterator[Apart]:
    groups: dict[Inherent, list[Capture | Compile]] = {why: [] for why in INHERENT}
    events: list[Capture | Compile] = [*run.captures, *run.recompiles]
    for event in events:
        why = costs.inherent(event)
        if why is not None:
            groups[why].append(event)
    for why, events in groups.items():
        if events:
            recaptures = sum(isinstance(event, Capture) for event in events)
            yield Apart(why, len(events), costs.spent(events), recaptures)


def _least_recompiles(process: Process) -> int:
    """Count the recompiles that there must have been."""
    if not process.from_text:
        return sum(compiled.is_recompile for compiled in process.compiles)
    return sum(max(counts) for counts in versions(process).values())


def versions(process: Process) -> Mapping[str, tuple[int, int]]:
    """Map Dynamo's number of each code to its recompiles, in the log and that must have been.

    By the earlier versions that its records name: a guard failed for each version that was there,
    and at a limit there were as many as its value.
    """
    known: dict[str, int] = defaultdict(int)
    least: dict[str, int] = defaultdict(int)
    for compiled in process.compiles:
        if not compiled.has_failed_guards and not compiled.is_refused:
            continue
        code = compiled.code_number
        known[code] += compiled.is_recompile
        failed = {guard.failed for guard in compiled.failed_guards}
        refused = refusal(compiled.fail_reason or "")
        earlier = max(len(failed - {None}), (refused and refused.limit) or 0)
        if compiled.is_refused and process.from_text:
            # Of its warning only the newest version's guard is there, and that has a number.
            earlier = max([earlier, *(_number(one) + 1 for one in failed if one)])
        # The first version is no recompile, and this one is, unless it was refused.
        least[code] = max(least[code], earlier - compiled.is_refused)
    return {code: (known[code], least[code]) for code in least}


def _number(compile_id: str) -> int:
    number = compile_id.rpartition("/")[2].partition("_")[0]
    return int(number) if number.isdecimal() else 0


def backwards_of(process: Process) -> tuple[int | None, int | None]:
    """Count the backwards of ``process``, and those of them that hit."""
    return _backwards(process) or (None, None)


def any_hit(run: Run) -> bool:
    """Return whether a backward in ``run`` is known to have hit."""
    return any(backwards_of(process)[1] for process in run.processes)


def _backwards(process: Process) -> tuple[int, int] | None:
    """From the batches; from ``ca_end`` where that counted more (a batch was damaged)."""
    rows, end = process.backwards, process.end
    counted = (rows.count, rows.hits) if rows is not None else None
    if end is None or end.backwards is None or end.hits is None:
        return counted
    if counted is None or end.backwards > counted[0]:
        return end.backwards, end.hits
    return counted


def seconds_lost(processes: Sequence[Process], costs: Costs) -> float | None:
    """`Summary.seconds_lost` of some processes; None if they lost time that is not known."""
    if not processes:
        return None
    return costs.lost([event for process in processes for event in process.events])


def _functions(compiles: Sequence[Compile]) -> int:
    """Count the functions that were compiled; one that several processes compiled is one.

    Dynamo's numbers tell them apart within a process. Between processes those of one name at one
    line are the same, as many as the process has that compiled most of them.
    """
    numbered = {(one.process, one.function): one for one in compiles}
    by_process: defaultdict[int, Counter[object]] = defaultdict(Counter)
    for (process, _), one in numbered.items():
        by_process[process][one.location or one.compile_id] += 1
    most: Counter[object] = Counter()
    for names in by_process.values():
        most |= names
    return sum(most.values())


def _seconds_total(run: Run) -> float | None:
    starts = [process.start for process in run.processes if process.start is not None]
    ends = [process.last for process in run.processes if process.seconds and process.last]
    if not starts:
        for recorded in run.recorded:
            if recorded.start is not None and recorded.end is not None:
                starts.append(recorded.start)
                ends.append(recorded.end)
    return max(0.0, max(ends) - min(starts)) if ends else None
