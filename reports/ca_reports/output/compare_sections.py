"""The words of ``ca diff``, section by section: terminal, Markdown and HTML lay them out."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.comparison.runs import MAX_GRAPHS
from ca_reports.diagnosis.identities import Identity
from ca_reports.gates.baseline import Entry
from ca_reports.output import advice
from ca_reports.run.model import Capture
from ca_reports.sentences.caches import (
    bypasses,
    cause_lines,
    cause_title,
    headline,
    named_graphs,
    size_of,
)
from ca_reports.sentences.captures import what_changed
from ca_reports.sentences.places import at_line, run_cwd, shown_place
from ca_reports.sentences.processes import process_labels
from ca_reports.words.numbers import counted, duration, factor, fine_duration, known, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.comparison.noise import Interval, Ratio
    from ca_reports.comparison.runs import Hits, LostSeconds, RunComparison, Side
    from ca_reports.costs.caches.starts import Start
    from ca_reports.diagnosis.identities import Recognised
    from ca_reports.facts.graphs.changes import GraphChange

_ROWS = 40
# Captures of one finding that are linked.
_CAPTURES = 3
# Counts that say nothing of two runs without compiled autograd.
_OF_CAPTURES = ("backwards", "captures", "recaptures")
_ANSWERS = {
    "slower": "slower",
    "faster": "faster",
    "no difference": "no difference beyond the noise",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the page of one of the two runs: its words, and its anchor there."""

    words: str
    side: Side
    anchor: str


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that differs. ``mark`` is ``new``, ``gone``, ``moved`` or empty.

    ``text`` is plain, ``more`` are lines below it, ``links`` lead to what it is about.
    """

    mark: str
    text: str
    more: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with rows; ``table`` holds cells instead, its first line the heading."""

    title: str
    rows: tuple[Row, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    left_out: int = 0


def verdict(found: RunComparison) -> str:
    """Return ``2 of 3 causes gone, 14.1 s saved per run.``; information is no cause."""
    gone, new = _causes(found.gone), _causes(found.new)
    kept = _causes(before for before, _ in (*found.moved, *found.same))
    if gone + kept:
        told = f"{gone} of {counted(gone + kept, 'cause')} gone"
        told += f", {new} new" if new else ""
    else:
        told = f"{counted(new, 'new cause')}" if new else "No cause in either"
    sides = (found.base.analysis, found.head.analysis)
    lost = [side.summary.seconds_lost for side in sides if side is not None]
    if len(lost) == 2 and lost[0] is not None and lost[1] is not None and lost[0] != lost[1]:
        saved = lost[0] - lost[1]
        told += f", {duration(abs(saved))} {'saved' if saved > 0 else 'more lost'} per run"
    return f"{told}."


def _causes(found: Iterable[Recognised]) -> int:
    return sum(not isinstance(one, Identity) or one.finding.severity != "info" for one in found)


def sections(found: RunComparison) -> tuple[Section, ...]:
    """Return all that is to be said, empty sections left out."""
    made = [_counts(found), _findings(found)]
    if found.runs:
        made += [_recompiled(found), _captures(found), _seconds(found), _graphs(found)]
        made += [_cold(found.start)] if found.start is not None else []
    if found.notes:
        made.append(Section("Notes", tuple(Row("", note) for note in found.notes)))
    return tuple(section for section in made if section.rows or section.table)


def _cold(start: Start) -> Section:
    """Say which graphs came from a cache before, and why they did not in the head."""
    rows = [
        Row(
            "",
            f"{cause_title(cause)} ({size_of(cause)})",
            (named_graphs(cause), *cause_lines(cause)),
        )
        for cause in start.causes
    ]
    rows += [Row("", told) for told in bypasses(start, since=start.earlier)]
    title = f"Caches: {headline(start)}"
    return Section(title, tuple(rows[:_ROWS]), left_out=max(0, len(rows) - _ROWS))


def where(one: Recognised) -> str:
    """Return ``train.py:12``, or the file alone."""
    return at_line(one.file, one.line if isinstance(one, Identity) else 0)


def _counts(found: RunComparison) -> Section:
    rows = [("", "base", "head", "")]
    sides = (found.base.analysis, found.head.analysis)
    of_dynamo = all(side is not None and side.summary.forward_only for side in sides)
    for count in found.counts:
        if of_dynamo and count.name in _OF_CAPTURES:
            continue
        both = count.before is not None and count.after is not None
        change = (count.after or 0) - (count.before or 0) if both else 0
        sign = "+" if change > 0 else "-" if change < 0 else ""
        rows.append(
            (
                count.name,
                _number(count.before, count.is_seconds),
                _number(count.after, count.is_seconds),
                f"{sign}{_number(abs(change), count.is_seconds)}" if change else "",
            )
        )
    return Section("Counts", table=tuple(rows) if len(rows) > 1 else ())


def _number(value: float | None, is_seconds: bool) -> str:
    if is_seconds or value is None:
        return duration(value)
    return known(int(value))


def _findings(found: RunComparison) -> Section:
    rows = [_finding("new", one, found.head) for one in found.new]
    rows += [_finding("gone", one, found.base) for one in found.gone]
    rows += [
        Row(
            "moved",
            after.title,
            (f"{where(before)} → {where(after)}",),
            (*_to_finding(before, found.base), *_to_finding(after, found.head)),
        )
        for before, after in found.moved
    ]
    same = len(found.same)
    if not rows:
        rows = [Row("", f"No difference: {counted(same, 'finding')} in both.")]
    elif same:
        rows.append(Row("", f"{counted(same, 'finding')} as before."))
    return _cut("Findings", rows)


def _finding(mark: str, one: Recognised, side: Side) -> Row:
    more = [where(one)] if where(one) else []
    if isinstance(one, Identity):
        if one.text and more:
            more = [f"{more[0]}  {one.text}"]
        if one.finding.seconds is not None:
            more.append(f"{duration(one.finding.seconds)} lost")
        if mark == "new":
            more.append(advice.fix_line(one.finding))
    elif isinstance(one, Entry) and one.times > 1:
        more.append(times(one.times))
    return Row(mark, one.title, tuple(more), _to_finding(one, side))


def _to_finding(one: Recognised, side: Side) -> tuple[Link, ...]:
    """Return links to a finding of a run and to the first of its captures."""
    if side.analysis is None or not isinstance(one, Identity):
        return ()
    listed = side.analysis.diagnosis.findings
    number = next((at for at, found in enumerate(listed) if found is one.finding), None)
    if number is None:
        return ()
    captures = [event for event in one.finding.events if isinstance(event, Capture)]
    own = Link(f"{one.code} in {side.name}", side, f"finding-{number}")
    return (own, *(_to_capture(capture, side) for capture in captures[:_CAPTURES]))


def _to_capture(capture: Capture, side: Side) -> Link:
    label = f"{capture.label} in {side.name}"
    return Link(label, side, f"capture-{capture.process}-{capture.id}")


def _recompiled(found: RunComparison) -> Section:
    rows = [
        Row(
            "" if one.before and one.after else "new" if one.after else "gone",
            f"`{one.name}` of {one.file}: {counted(one.before, 'recompile')} → {one.after}",
        )
        for one in found.recompiled
    ]
    return _cut("Functions recompiled more or less often", rows)


def _captures(found: RunComparison) -> Section:
    rows = [_capture("new", capture, found.head) for capture in found.new_captures]
    rows += [_capture("gone", capture, found.base) for capture in found.gone_captures]
    if rows and found.captures:
        rows.append(Row("", f"{counted(len(found.captures), 'capture')} as before."))
    return _cut("Captures", rows)


def _capture(mark: str, capture: Capture, side: Side) -> Row:
    run = side.run
    assert run is not None
    label = capture.label
    if len(run.processes) > 1:
        label = f"{process_labels(run)[capture.process]} {label}"
    step = f" at step {capture.step}" if capture.step is not None else ""
    more = []
    if capture.backward_call is not None:
        more.append(shown_place(capture.backward_call, run_cwd(run)))
    if capture.seconds.total is not None:
        more.append(duration(capture.seconds.total))
    return Row(
        mark,
        f"{label}{step}: {what_changed(capture)}",
        ("; ".join(more),),
        (_to_capture(capture, side),),
    )


def _seconds(found: RunComparison) -> Section:
    rows = [] if found.loss is None else [_loss(found.loss)]
    if found.hits is not None:
        rows.append(_hits(found.hits))
    if rows:
        rows.append(
            Row(
                "",
                "The noise is the spread within these two runs; two runs of the same code may "
                "differ by more, on a shared machine above all.",
            )
        )
    return Section("Seconds", tuple(rows))


def _loss(loss: LostSeconds) -> Row:
    parts = []
    if loss.by_new:
        parts.append(f"{duration(loss.by_new)} by events that are new")
    if loss.by_gone:
        parts.append(f"{duration(loss.by_gone)} less by events that are gone")
    if loss.same_before or loss.same_after:
        parts.append(f"the same events {duration(loss.same_before)} → {duration(loss.same_after)}")
    more = ["; ".join(parts)] if parts else []
    if loss.ratio is not None:
        samples = f"of {counted(loss.pairs, 'capture')} that both have"
        more.append(f"{samples}: {_ratio(loss.ratio, loss.pairs)}")
    return Row("", f"lost: {duration(loss.before)} → {duration(loss.after)}", tuple(more))


def _hits(hits: Hits) -> Row:
    text = f"a hit: {_interval(hits.before)} → {_interval(hits.after)}"
    fewest = min(hits.before.samples, hits.after.samples)
    return Row("", text, () if hits.ratio is None else (_ratio(hits.ratio, fewest),))


def _interval(found: Interval) -> str:
    told = fine_duration(found.median)
    if found.low is not None and found.high is not None:
        low, high = fine_duration(found.low), fine_duration(found.high)
        told += f" ({low} to {high}, {counted(found.samples, 'hit')})"
    return told


def _ratio(found: Ratio, samples: int) -> str:
    told = factor(found.value)
    if found.low is None or found.high is None:
        return f"{told}, too few samples ({samples}) to compare"
    return f"{told} ({factor(found.low)} to {factor(found.high)}): {_ANSWERS[found.answer]}"


def _graphs(found: RunComparison) -> Section:
    if not found.graphs_compared:
        return Section("Graphs")
    rows = [_graph(change, found) for change in found.graphs]
    same = found.graphs_compared - len(rows)
    if same:
        rows.append(Row("", f"{counted(same, 'graph')} identical (ignoring names)."))
    if found.graphs_compared == MAX_GRAPHS:
        rows.append(Row("", f"Only the first {MAX_GRAPHS} were compared."))
    return _cut("Graphs", rows)


def _graph(change: GraphChange, found: RunComparison) -> Row:
    counts = (("added", change.added), ("removed", change.removed), ("changed", change.changed))
    told = ", ".join(f"{number:,} {what}" for what, number in counts if number)
    base_processes = 0 if found.base.run is None else len(found.base.run.processes)
    one = f"{change.before.process}/{change.before.id}"
    other = f"{base_processes + change.after.process}/{change.after.id}"
    names = shlex.join((found.base.name, found.head.name))
    return Row(
        "",
        f"{change.before.label} → {change.after.label}: {told} of {counted(change.nodes, 'node')}",
        (", ".join(change.names), f"ca graph {names} --diff {one} {other}"),
        (_to_capture(change.before, found.base), _to_capture(change.after, found.head)),
    )


def _cut(title: str, rows: Sequence[Row]) -> Section:
    return Section(title, tuple(rows[:_ROWS]), left_out=max(0, len(rows) - _ROWS))
