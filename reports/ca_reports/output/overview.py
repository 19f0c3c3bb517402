"""The top of the page: what ran, where its time went, and how its ranks compare."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.output import ranks as rank_lines
from ca_reports.output.runs import IT
from ca_reports.sentences.inherent import WHY_INHERENT
from ca_reports.sentences.processes import is_running, process_count
from ca_reports.words.clean import shorten
from ca_reports.words.numbers import counted, duration
from ca_reports.words.values import in_words, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.costs.ranks import RankRow
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.facts.summary import Apart, Summary
    from ca_reports.output.runs import Loss
    from ca_reports.run.model import Process, Run

# Narrower parts of the bar are put together: nobody could see or hit them.
_NARROWEST = 0.012
_LONGEST_COMMAND = 160
_KILLED = "killed, or ended by os._exit"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bar: its share of the whole, what it is, and where it leads (or ``""``)."""

    share: float
    label: str
    seconds: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class RanksView:
    """The ranks worth a row, what is said about all, and how many rows are left out."""

    rows: list[RankRow]
    lines: list[str]
    left_out: int
    forward_only: bool


def bar(
    findings: Sequence[tuple[Finding, str]], loss: Loss | None, inherent: Sequence[Apart]
) -> list[Part]:
    """Divide the run: a part for each finding with its anchor, for what is inherent, for the rest.

    The whole is that of the headline: of several ranks the mean. Empty where the log has no
    times, or nothing was spent on either.
    """
    if loss is None:
        return []
    beside = [(WHY_INHERENT[each.why], each.seconds / loss.of) for each in inherent if each.seconds]
    if not (loss.seconds or beside):
        return []
    lost = loss.seconds
    costs = [
        (found, target, found.seconds / loss.ranks) for found, target in findings if found.seconds
    ]
    explained = sum(seconds for _, _, seconds in costs)
    # A run that is still going on has an older end than its last compile.
    used = max(lost, explained) + sum(seconds for _, seconds in beside)
    whole = max(loss.whole or 0.0, used)
    parts = []
    small = 0.0
    for found, target, seconds in costs:
        if seconds / whole < _NARROWEST:
            small += seconds
            continue
        told = duration(seconds)
        name = in_words(found.name)
        parts.append(Part(seconds / whole, name, told, target, found.severity))
    small += max(0.0, lost - explained)
    if small / whole >= _NARROWEST / 2:
        parts.append(Part(small / whole, "other", duration(small), "", "other"))
    parts += [
        Part(seconds / whole, why, duration(seconds), "", "other")
        for why, seconds in beside
        if seconds / whole >= _NARROWEST
    ]
    rest = whole - used
    if rest / whole >= _NARROWEST / 2:
        parts.append(Part(rest / whole, "the rest of the run", duration(rest), "", "rest"))
    return parts


@dataclass(frozen=True, slots=True)
class RunTime:
    """The tile that says how long it ran; ``seconds`` are None if unknown."""

    label: str
    seconds: float | None


def run_time(summary: Summary, loss: Loss | None) -> RunTime:
    """Return the seconds that the headline takes a share of, with its words for whose they are.

    Without a headline of lost seconds it is the time from the first start to the last record.
    """
    if loss is None or loss.whole is None:
        return RunTime("run time", summary.seconds_total)
    label = "run time" if loss.who == IT else f"{loss.who.removeprefix('that ')} ran"
    return RunTime(label, loss.whole)


def ran(run: Run) -> list[str]:
    """Describe what ran, in a few words each: versions, where, when, ranks, how it ended."""
    told = []
    for recorded in run.recorded[:1]:
        versions = dict(recorded.versions)
        for process in run.processes:
            # What torch it was is known to the processes before it is known to run.json.
            versions = {**process.versions, **versions}
        told += [f"{name} {versions[name]}" for name in ("torch", "python") if name in versions]
        if recorded.engine:
            engines = {"ca": "ca's engine", "torch": "torch's engine"}
            told.append(engines.get(recorded.engine, f"engine {recorded.engine}"))
        if recorded.host:
            told.append(f"on {recorded.host}")
        if recorded.start is not None:
            told.append(when(recorded.start))
    gpus = dict.fromkeys(
        found for process in run.processes for found in process.devices if found != "cpu"
    )
    if gpus:
        told.append(listed(gpus))
    known = {process.rank for process in run.processes if process.rank is not None}
    if len(known) > 1:
        told.append(counted(len(known), "rank"))
    elif len(run.processes) > 1:
        told.append(process_count(run))
    if run.recorded:
        told.append(ended(run))
    if len(run.recorded) > 1:
        told.append(f"the first of {counted(len(run.recorded), 'run')}")
    return told


def ended(run: Run) -> str:
    """Return ``exit code 1``, or as much as is known.

    `ca run` writes the page before the code stands: a process that ends by ``sys.exit(3)`` and
    one that comes to its last line look alike until the C library has written the code.
    """
    recorded = run.recorded[0]
    if recorded.exit_code is not None:
        return f"exit code {recorded.exit_code}"
    ends = [process.end for process in run.processes]
    errors = [end.error for end in ends if end is not None and end.error]
    if errors:
        return f"ended by {errors[0]}"
    if recorded.end is None and is_running(run):
        return "still running when this was written"
    if recorded.end is None:
        return "no end recorded: killed, or still running"
    if not ends:
        return "exit code unknown"
    return "ended without an exception" if all(ends) else _KILLED


def process_end(process: Process) -> str:
    """Return how one process ended, as far as its log says."""
    if process.is_running:
        return "still running"
    if process.end is None:
        return _KILLED if process.recorded else "unknown"
    return process.end.error or "in order"


def command(run: Run) -> str:
    """Return the command of the first recorded run, cut if it is long."""
    words = " ".join(next((recorded.command for recorded in run.recorded), ()))
    return shorten(words, _LONGEST_COMMAND)


def ranks_view(analysis: Analysis) -> RanksView | None:
    """None for a run of fewer than two ranks."""
    comparison = analysis.ranks
    if comparison is None:
        return None
    rows, left_out = rank_lines.shown_rows(comparison)
    told = list(rank_lines.lines(analysis, comparison))
    return RanksView(rows, told, left_out, comparison.forward_only)


def when(time: float | None) -> str:
    """Return a time in UTC, ``unknown`` without one."""
    if time is None:
        return "unknown"
    try:
        return datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "unknown"
