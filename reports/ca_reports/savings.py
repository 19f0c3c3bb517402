"""Estimates what fixing each cause would save: the run without it, as far as records tell.

A finding holds the events that it explains, but others may come of it. Where a number is captured
for each of its values, each of these graphs is compiled again for the short last batch: with one
value there is one graph, and one such recompile. So the events are gone through once more without
those of a cause: what hangs on them hangs on what they were compared with instead, and of equal
events that then hang on one, the costliest is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ca_reports.facts.guarded import held
from ca_reports.model import Capture, Compile

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from ca_reports.costs import Costs
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import About, Finding
    from ca_reports.model import EventKey

# More events than this are no program's that anybody would wait for.
_MAX_EVENTS = 2_000
# Less than this share of a finding's own seconds is within the noise of times.
_WORTH_SAYING = 0.1


@dataclass(frozen=True, slots=True)
class _Step:
    """One event: what it hangs on, whose it is, and what makes two of them equal there."""

    key: EventKey
    parent: EventKey
    owner: int
    sign: Hashable


@dataclass(frozen=True, slots=True)
class _Spared:
    """An event that is no more, and the earlier one that it equals."""

    key: EventKey
    equal: EventKey
    owner: int


def with_savings(
    findings: Sequence[Finding], processes: Iterable[ProcessFacts], costs: Costs
) -> list[Finding]:
    """Return ``findings``, with what their fixes save where that is more than their own events."""
    steps = _steps(findings, {facts.process.index: facts for facts in processes})
    if len(findings) < 2 or len(steps) > _MAX_EVENTS:
        return list(findings)
    seconds = {
        event.key: cost.seconds
        for finding in findings
        for event in finding.events
        if (cost := costs.of(event)) is not None
    }
    always = set(_spared(steps, None))
    found = []
    for number, finding in enumerate(findings):
        spared = [one for one in _spared(steps, number).values() if one.key not in always]
        more = _cost_of_all_but_one(spared, seconds)
        if finding.seconds is None or more <= finding.seconds * _WORTH_SAYING:
            found.append(finding)
            continue
        of: dict[About, None] = dict.fromkeys(findings[one.owner].rule for one in spared)
        found.append(
            replace(finding, saves=finding.seconds + more, saves_of=tuple(of), spared=len(spared))
        )
    return found


def _cost_of_all_but_one(spared: Iterable[_Spared], seconds: Mapping[EventKey, float]) -> float:
    """Sum what equal events cost, but for the costliest of each, which is left."""
    groups: dict[EventKey, list[float]] = {}
    for one in spared:
        costs = groups.setdefault(one.equal, [seconds.get(one.equal, 0.0)])
        costs.append(seconds.get(one.key, 0.0))
    return sum(sum(costs) - max(costs) for costs in groups.values())


def _spared(steps: Sequence[_Step], without: int | None) -> dict[EventKey, _Spared]:
    """The events of other causes that equal an earlier one once cause ``without`` is mended."""
    stands_for: dict[EventKey, EventKey] = {}
    first: dict[tuple[EventKey, int, Hashable], EventKey] = {}
    spared: dict[EventKey, _Spared] = {}
    for step in steps:
        parent = stands_for.get(step.parent, step.parent)
        if step.owner == without:
            stands_for[step.key] = parent
            continue
        same = first.setdefault((parent, step.owner, step.sign), step.key)
        if same != step.key:
            stands_for[step.key] = same
            spared[step.key] = _Spared(step.key, same, step.owner)
    return spared


def _steps(findings: Sequence[Finding], facts: Mapping[int, ProcessFacts]) -> list[_Step]:
    """The recaptures and recompiles that findings explain, in the order in which they happened."""
    found: list[tuple[float, _Step]] = []
    known: set[EventKey] = set()
    recompiles = {
        recompile.compiled.key: recompile for one in facts.values() for recompile in one.recompiles
    }
    for number, finding in enumerate(findings):
        for event in () if finding.is_shared else finding.events:
            if event.key in known:
                continue
            known.add(event.key)
            if isinstance(event, Capture) and event.closest_capture is not None:
                parent: EventKey = ("capture", event.process, event.closest_capture)
                changes = frozenset(
                    (change.name, change.attribute, str(change.before), str(change.after))
                    for change in event.changes
                )
                found.append((event.time or 0.0, _Step(event.key, parent, number, changes)))
            elif (
                isinstance(event, Compile) and (recompile := recompiles.get(event.key)) is not None
            ):
                found.append((event.time or 0.0, _of_recompile(event, recompile, number)))
    return [step for _, step in sorted(found, key=lambda one: one[0])]


def _of_recompile(compiled: Compile, recompile: RecompileFacts, owner: int) -> _Step:
    guard = recompile.guard
    if compiled.capture is not None:
        parent: EventKey = ("capture", compiled.process, compiled.capture)
        # Which of the graph's inputs it is differs from capture to capture.
        return _Step(compiled.key, parent, owner, (guard.kind, guard.expected, guard.actual))
    parent = ("compile", compiled.process, guard.failed or "")
    came = guard.actual if guard.actual is not None else held(recompile)
    sign: Hashable = compiled.key
    if came is not None:
        sign = (guard.kind, guard.source, guard.index, came)
    return _Step(compiled.key, parent, owner, sign)
