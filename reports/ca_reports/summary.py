"""The numbers of a run. Pure functions of a ``Run``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.costs import Costs
    from ca_reports.model import Process, Run


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all processes; None where the log cannot know.

    ``recaptures``: captures whose kind is not ``first``. ``dynamo_recompiles``: the sum of
    ``recompiled_captures`` (level 2: the graph of an existing capture) and
    ``forward_recompiles`` (user code). ``graph_breaks`` counts every break, also where one
    place broke more than once; ``graph_breaks_left_out`` those at a call of ``backward``
    itself, which compiled autograd always makes. ``seconds_lost``: capture, first compile
    and first run of the recaptures beyond a hit + all Dynamo recompiles, each once, summed
    over processes (``costs.py``).
    ``gpu_waited``: those of the seconds lost in which the GPU had nothing to do; None where
    nothing measured that: on a CPU, in a log of torch's alone.
    ``inherent_recompiles`` are those forward recompiles that every program of its kind has (the
    evaluation variant, the first dynamic compile); nothing is lost by them, and the other
    numbers leave them out.
    ``seconds_total``: wall time from the first process's start to the last moment that anything
    is known of, which of a run that ended is its end.
    ``forward_functions`` are those that Dynamo compiled, resume functions too, and
    ``forward_seconds`` what all compiles of user code took, None if the log does not tell.
    ``forward_only``: `Run.forward_only`.
    ``unique_graphs``: Dynamo's own count of all graphs it compiled, from ``ca_end``.
    """

    backwards: int | None
    hits: int | None
    captures: int
    recaptures: int
    dynamo_recompiles: int
    recompiled_captures: int
    forward_recompiles: int
    graph_breaks: int
    graph_breaks_left_out: int
    seconds_lost: float | None
    gpu_waited: float | None
    seconds_total: float | None
    unique_graphs: int | None
    forward_compiles: int
    forward_graphs: int
    forward_functions: int
    forward_seconds: float | None
    forward_only: bool
    inherent_recompiles: int


def summarize(run: Run, costs: Costs) -> Summary:
    """Count; ``costs`` are those of ``run``, or of a run that it is a part of.

    Inherent recompiles are counted apart.
    """
    counted = [counts for process in run.processes if (counts := _backwards(process))]
    unique = [
        process.end.unique_graphs
        for process in run.processes
        if process.end is not None and process.end.unique_graphs is not None
    ]
    captures = run.captures
    apart = sum(map(costs.is_inherent, run.forward_recompiles))
    forward = run.forward_compiles
    forward_times = [found.seconds for found in forward if found.seconds is not None]
    return Summary(
        backwards=sum(backwards for backwards, _ in counted) if counted else None,
        hits=sum(hits for _, hits in counted) if counted else None,
        captures=len(captures),
        recaptures=sum(capture.is_recapture for capture in captures),
        dynamo_recompiles=len(run.recompiles) - apart,
        recompiled_captures=len(run.recompiled_captures),
        forward_recompiles=len(run.forward_recompiles) - apart,
        graph_breaks=sum(found.count for found in run.graph_breaks),
        graph_breaks_left_out=sum(process.graph_breaks_left_out for process in run.processes),
        seconds_lost=seconds_lost(run.processes, costs),
        gpu_waited=costs.gpu_waited(run.processes),
        seconds_total=_seconds_total(run),
        unique_graphs=sum(unique) if unique else None,
        forward_compiles=len(forward),
        forward_graphs=sum(compiled.graphs for compiled in forward),
        forward_functions=len({(found.process, found.function) for found in forward}),
        forward_seconds=sum(forward_times) if forward_times else None,
        forward_only=run.forward_only,
        inherent_recompiles=apart,
    )


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


def _seconds_total(run: Run) -> float | None:
    starts = [process.start for process in run.processes if process.start is not None]
    ends = [process.last for process in run.processes if process.seconds and process.last]
    if not starts:
        for recorded in run.recorded:
            if recorded.start is not None and recorded.end is not None:
                starts.append(recorded.start)
                ends.append(recorded.end)
    return max(0.0, max(ends) - min(starts)) if ends else None
