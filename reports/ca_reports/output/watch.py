"""A run in progress as one screen: what each rank does, and the last misses with causes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ca_reports.facts.summary import seconds_lost, summarize
from ca_reports.output import advice
from ca_reports.output.runs import headline, run_counts
from ca_reports.run.model import Capture, Compile, CudaGraph
from ca_reports.sentences.background import compiling_lines
from ca_reports.sentences.captures import in_short
from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.sentences.processes import process_labels
from ca_reports.words.clean import one_line
from ca_reports.words.editors import PLAIN
from ca_reports.words.numbers import and_more, duration, known, percent, rate, rough_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.facts.costs import Costs
    from ca_reports.run.model import Process, Run

RANK_ROWS = 16
MISS_ROWS = 8
# Characters of a path, beside all that changed.
PLACE_WIDTH = 24
# Over so many seconds before the newest backward the rate is counted.
RATE_SECONDS = 10.0


_TONES = {"bad": "bold red", "good": "bold green", "neutral": "bold"}


def view(analysis: Analysis, now: float) -> RenderableType:
    """Lay out the screen at ``now``, in seconds since the epoch: loss, cause, then the ranks."""
    run, costs, summary = analysis.run, analysis.costs, analysis.summary
    parts: list[RenderableType] = [Text(_head(run, now), "dim")]
    if not run.processes:
        parts.append(Text("No process has written a record yet.", "dim"))
        return Group(*parts)
    findings = analysis.diagnosis.findings
    first = headline(run, summary, findings, analysis.ranks)
    parts.append(Text(first.text, _TONES[first.tone]))
    parts += _causes(analysis, findings)
    parts.append(Text(""))
    if summary.forward_only:
        parts += [_forwards(run, costs, now), Text("")]
        lost = [found for found in run.forward_recompiles if costs.inherent(found) is None]
        if lost:
            parts.append(_recompiles(analysis, lost))
        else:
            parts.append(Text("No avoidable recompiles so far.", "green"))
    else:
        parts += [_ranks(run, costs, now), Text("")]
        if any(capture.is_recapture for capture in run.captures):
            parts.append(_misses(run))
        else:
            parts.append(Text("No recaptures so far.", "green"))
    parts += [Text(one_line(text), "cyan") for text in compiling_lines(run, now)]
    parts.append(Text(run_counts(run, summary)))
    return Group(*parts)


def _causes(analysis: Analysis, findings: Sequence[Finding]) -> list[RenderableType]:
    """Show the finding that lost most, and the latest one if that is another."""
    if not findings:
        return []
    costliest = findings[0]
    latest = max(findings, key=_last_seen)
    parts = _finding("costliest", costliest, analysis)
    return parts if latest is costliest else parts + _finding("latest", latest, analysis)


def _finding(label: str, found: Finding, analysis: Analysis) -> list[RenderableType]:
    head = Text.assemble((f"{label}: ", "dim"), (f"{found.code} ", "bold yellow"))
    parts: list[RenderableType] = [head.append(one_line(found.message))]
    place = found.location
    if place is not None:
        link = (analysis.editor or PLAIN).link(place.file, place.line)
        where = one_line(shown_place(place, run_cwd(analysis.run)))
        told = Text(where, Style(bold=True, color="cyan", link=link))
        parts.append(Text("  ").append_text(told).append(f"  {one_line(place.code)}"))
    more = (
        advice.cost(found, analysis.run),
        advice.fix_line(found) if found.fix else "",
    )
    return [*parts, *(Padding(Text(one_line(text)), (0, 0, 0, 2)) for text in more if text)]


def _last_seen(found: Finding) -> float:
    """Return when the last event of a finding happened, 0.0 where its records have no times."""
    timed = (one for one in found.events if isinstance(one, Capture | Compile | CudaGraph))
    return max((one.time or 0.0 for one in timed), default=0.0)


def _head(run: Run, now: float) -> str:
    where = ", ".join(run.paths)
    recorded = run.recorded[0] if len(run.recorded) == 1 else None
    if recorded is None or recorded.start is None:
        return _safe(where)
    if recorded.end is None:
        return _safe(f"{where}: running for {rough_duration(now - recorded.start)}")
    code = "" if recorded.exit_code is None else f" with exit code {recorded.exit_code}"
    return _safe(f"{where}: ended{code} after {rough_duration(recorded.end - recorded.start)}")


def _ranks(run: Run, costs: Costs, now: float) -> Table:
    table = _table()
    table.add_column("process", no_wrap=True, style="bold")
    for name in ("steps", "per s", "hits", "captures", "recaptures", "lost"):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("last record", no_wrap=True)
    labels = process_labels(run)
    # Those in trouble first, where there is not room for all.
    shown = sorted(
        run.processes, key=lambda found: -sum(capture.is_recapture for capture in found.captures)
    )[:RANK_ROWS]
    for process in sorted(shown, key=lambda found: found.index):
        rows = process.backwards
        again = sum(capture.is_recapture for capture in process.captures)
        hits = "–" if rows is None or not rows.count else percent(rows.hits / rows.count)
        table.add_row(
            _safe(labels[process.index]),
            known(None if rows is None else rows.count),
            _rate(process),
            hits,
            f"{len(process.captures):,}",
            Text(f"{again:,}", "red" if again else "green"),
            duration(seconds_lost([process], costs)),
            _last(process, now),
        )
    if len(run.processes) > RANK_ROWS:
        table.add_row(and_more(len(run.processes) - RANK_ROWS))
    return table


def _forwards(run: Run, costs: Costs, now: float) -> Table:
    """Tabulate what Dynamo did in each process of a run without compiled autograd."""
    table = _table()
    table.add_column("process", no_wrap=True, style="bold")
    for name in ("compiles", "recompiles", "graph breaks", "compiling", "lost"):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("last record", no_wrap=True)
    labels = process_labels(run)
    counts = {
        found.index: summarize(replace(run, processes=(found,), recorded=(), damage=()), costs)
        for found in run.processes
    }
    shown = sorted(run.processes, key=lambda found: -(counts[found.index].forward_recompiles or 0))
    for process in sorted(shown[:RANK_ROWS], key=lambda found: found.index):
        own = counts[process.index]
        again = own.forward_recompiles
        table.add_row(
            _safe(labels[process.index]),
            known(own.forward_compiles),
            Text(known(again), "red" if own.avoidable else "green"),
            known(own.graph_breaks),
            duration(own.forward_seconds),
            duration(own.seconds_lost),
            _last(process, now),
        )
    if len(run.processes) > RANK_ROWS:
        table.add_row(and_more(len(run.processes) - RANK_ROWS))
    return table


def _recompiles(analysis: Analysis, found: Sequence[Compile]) -> Table:
    table = _table()
    table.add_column("last recompiles", no_wrap=True, style="bold")
    table.add_column("guard that failed", overflow="fold", ratio=3)
    table.add_column("where", no_wrap=True)
    table.add_column("took", no_wrap=True, justify="right")
    run = analysis.run
    labels = process_labels(run)
    cwd = run_cwd(run)
    newest = sorted(found, key=lambda one: one.time or 0.0)[-MISS_ROWS:]
    for compiled in reversed(newest):
        name = compiled.compile_id
        table.add_row(
            _safe(f"{labels[compiled.process]} {name}" if len(run.processes) > 1 else name),
            _safe(analysis.guard_that_failed(compiled)),
            ""
            if compiled.location is None
            else _safe(shown_place(compiled.location, cwd, PLACE_WIDTH)),
            duration(compiled.seconds),
        )
    return table


def _misses(run: Run) -> Table:
    table = _table()
    table.add_column("last misses", no_wrap=True, style="bold")
    table.add_column("step", no_wrap=True, justify="right")
    table.add_column("what changed", overflow="fold", ratio=3)
    table.add_column("where", no_wrap=True)
    table.add_column("took", no_wrap=True, justify="right")
    labels = process_labels(run)
    several = len(run.processes) > 1
    misses = [capture for capture in run.captures if capture.is_recapture]
    misses.sort(key=lambda capture: (capture.time or 0.0, capture.id))
    cwd = run_cwd(run)
    for capture in reversed(misses[-MISS_ROWS:]):
        call = capture.backward_call
        table.add_row(
            _safe(f"{labels[capture.process]} {capture.label}" if several else capture.label),
            "" if capture.step is None else f"{capture.step:,}",
            _safe(in_short(capture)),
            "" if call is None else _safe(shown_place(call, cwd, PLACE_WIDTH)),
            duration(capture.seconds.total),
        )
    return table


def _rate(process: Process) -> str:
    rows = process.backwards
    if rows is None or len(rows) < 2:
        return "–"
    last = rows.start[-1]
    first = len(rows) - 1
    while first > 0 and rows.start[first - 1] >= last - RATE_SECONDS:
        first -= 1
    span = last - rows.start[first]
    return "–" if span <= 0 else rate((len(rows) - 1 - first) / span)


def _last(process: Process, now: float) -> str:
    if process.end is not None:
        return "ended" if process.end.error is None else _safe(f"ended by {process.end.error}")
    if process.last is None:
        return "–"
    return f"{rough_duration(max(0.0, now - process.last))} ago"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def _safe(text: str) -> str:
    """Return what a log says as text that can't steer the terminal and is no markup."""
    from rich.markup import escape

    return escape(one_line(text))
