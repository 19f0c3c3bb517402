"""The numbers of a run, and what its log cannot tell. Pure functions of a ``Run``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.rules import all_rules

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
    ``seconds_total``: wall time from the first process's start to the last moment that anything
    is known of, which of a run that ended is its end.
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
    seconds_total: float | None
    unique_graphs: int | None
    forward_compiles: int
    forward_graphs: int


@dataclass(frozen=True, slots=True)
class Limitation:
    """Something this log cannot tell: ``subject`` as a key, ``text`` why and what to do."""

    subject: str
    text: str


def summarize(run: Run, costs: Costs) -> Summary:
    """Count; ``costs`` are those of ``run``, or of a run that it is a part of."""
    counted = [counts for process in run.processes if (counts := _backwards(process))]
    unique = [
        process.end.unique_graphs
        for process in run.processes
        if process.end is not None and process.end.unique_graphs is not None
    ]
    captures = run.captures
    forward = [
        compiled for compiled in run.compiles if compiled.capture is None and not compiled.internal
    ]
    return Summary(
        backwards=sum(backwards for backwards, _ in counted) if counted else None,
        hits=sum(hits for _, hits in counted) if counted else None,
        captures=len(captures),
        recaptures=sum(capture.is_recapture for capture in captures),
        dynamo_recompiles=len(run.recompiles),
        recompiled_captures=len(run.recompiled_captures),
        forward_recompiles=len(run.forward_recompiles),
        graph_breaks=sum(found.count for found in run.graph_breaks),
        graph_breaks_left_out=sum(process.graph_breaks_left_out for process in run.processes),
        seconds_lost=seconds_lost(run.processes, costs),
        seconds_total=_seconds_total(run),
        unique_graphs=sum(unique) if unique else None,
        forward_compiles=len(forward),
        forward_graphs=sum(compiled.graphs for compiled in forward),
    )


def limitations(run: Run) -> tuple[Limitation, ...]:
    """What this log cannot tell, most important first, each with what to do about it."""
    found: list[Limitation] = []
    captures = run.captures
    stock = [process for process in run.processes if not process.recorded]
    if run.recorded and not run.processes:
        found.append(
            Limitation(
                "trace",
                "No trace was written: the process ended before it used torch.compile or "
                "compiled autograd, or it was killed before the first record.",
            )
        )
    elif not captures and any_hit(run):
        found.append(
            Limitation(
                "captures",
                "What was captured: each backward hit a graph from before the recording began. "
                "ca_engine.clear_cache() ahead of it has them captured anew.",
            )
        )
    elif not captures and run.processes:
        found.append(Limitation("compiled_autograd", _no_captures(run)))
    if captures and any(capture.reason is None and capture.is_recapture for capture in captures):
        if any(capture.reason is not None for capture in captures):
            text = "Torch gave no reason for some of the captures."
        else:
            text = (
                "Why the backwards were captured again: torch writes the reasons only with "
                "TORCH_LOGS=compiled_autograd_verbose. Record with `ca run train.py`, or set "
                "that beside TORCH_TRACE."
            )
        found.append(Limitation("reasons", text))
    if captures and stock:
        found.append(
            Limitation(
                "hits",
                "How many backwards ran and how many hit: a log of torch's own has no record "
                "of a hit. `ca run train.py` counts them.",
            )
        )
        found.append(
            Limitation(
                "changes",
                "Which values changed, and near which module: only `ca run train.py` records "
                "the autograd graph at a miss.",
            )
        )
        blind = [rule.code for rule in all_rules() if rule.needs_recorder]
        found.append(
            Limitation(
                "rules",
                f"Whether {', '.join(blind)} apply: these rules need what only "
                "`ca run train.py` records. The others are less sure here.",
            )
        )
    if any(process.recorded and process.end is None for process in run.processes):
        found.append(
            Limitation(
                "end",
                "How the run ended: the closing record is missing (the process was killed or "
                "still runs), so up to its last second may be missing too.",
            )
        )
    if any(capture.autograd_truncated for capture in captures):
        found.append(
            Limitation("autograd_graph", "Some autograd graphs were too large and were cut.")
        )
    if captures and all(capture.seconds.total is None for capture in captures):
        found.append(Limitation("seconds", "What the captures cost: no timing was in this log."))
    return tuple(found)


def backwards_of(process: Process) -> tuple[int | None, int | None]:
    """How many backwards ran in ``process`` and how many of them hit."""
    return _backwards(process) or (None, None)


def any_hit(run: Run) -> bool:
    """Whether a backward in ``run`` is known to have hit."""
    return any(backwards_of(process)[1] for process in run.processes)


def _no_captures(run: Run) -> str:
    hazards = {hazard.kind for process in run.processes for hazard in process.hazards}
    if "backward_failed" in hazards:
        return "No backward was captured: torch refused to."
    errors = [process.end.error for process in run.processes if process.end is not None]
    ended = next((error for error in errors if error), None)
    if ended is not None:
        return f"No backward was captured before the program ended with {ended}."
    if "not_captured" in hazards:
        return (
            "No backward was captured: compiled autograd is on, but each backward ran outside of "
            "compiled functions."
        )
    if any(process.recorded and process.enabled is False for process in run.processes):
        return "No backward was captured: compiled autograd was not turned on in this run."
    return (
        "There is no compiled autograd in this log: no backward was captured. It runs where "
        "torch._dynamo.config.compiled_autograd is True and the backward is called inside "
        "torch.compile; `ca run --enable train.py` turns it on."
    )


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
    lost = costs.total_of(process.index for process in processes)
    if lost is None and not any(
        any(capture.is_recapture for capture in process.captures)
        or any(compiled.is_recompile for compiled in process.compiles)
        for process in processes
    ):
        return 0.0
    return lost


def _seconds_total(run: Run) -> float | None:
    starts = [process.start for process in run.processes if process.start is not None]
    ends = [process.last for process in run.processes if process.seconds and process.last]
    if not starts:
        for recorded in run.recorded:
            if recorded.start is not None and recorded.end is not None:
                starts.append(recorded.start)
                ends.append(recorded.end)
    return max(0.0, max(ends) - min(starts)) if ends else None
