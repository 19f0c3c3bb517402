"""Estimates what fixing each cause would save: the run without it, as far as records tell.

A finding holds the events that it explains, but others may come of it. Where a number is captured
for each of its values, each of these graphs is compiled again for the short last batch: with one
value there is one graph, and one such recompile. So the events are gone through once more without
those of a cause: what hangs on them hangs on what they were compared with instead, and of equal
events that then hang on one, the costliest is left. A capture that another cause made as well stays
for that one: where an order and a hook change together, a fixed order leaves the hook. And where
the remedy is that each step does what only some did, the largest capture is the one that is left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.rules.structure import is_switch
from ca_reports.facts.guard_trees import thing_of
from ca_reports.facts.guarded_things import held
from ca_reports.run.model import Capture, Compile

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.causes.findings import About, Finding
    from ca_reports.facts.costs import Costs
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, EventKey

    Explains = Callable[[CaptureFacts, Change], bool]

# More events than this are no program's that anybody would wait for.
_MAX_EVENTS = 2_000
# Each event may be made in part by any other finding's cause: so many pairs are looked at.
_MAX_PAIRS = 400_000
# Less than this share of a finding's own seconds is within the noise of times.
_WORTH_SAYING = 0.1


# A difference of a capture: of which node, which attribute, before and after.
_Difference = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class _Step:
    """One event: what it hangs on, whose it is, and what makes two of them equal there.

    ``rest`` is whose it is without that cause, and what makes two of them equal then; None if it
    would not be there.
    """

    key: EventKey
    parent: EventKey
    owner: int
    sign: Hashable
    rest: tuple[int, frozenset[_Difference]] | None = None


@dataclass(frozen=True, slots=True)
class _Spared:
    """An event that is no more, and the earlier one that it equals."""

    key: EventKey
    equal: EventKey
    owner: int


def with_savings(
    findings: Sequence[Finding],
    processes: Iterable[ProcessFacts],
    costs: Costs,
    explained: Sequence[Sequence[Explains]] = (),
    also: Mapping[EventKey, int] | None = None,
) -> list[Finding]:
    """Return ``findings``, with what each fix saves where that is not about its own events.

    ``explained`` are, for each finding, what says which differences of a capture it makes. ``also``
    is, for captures that show two causes, the number of the finding that is the other one.
    """
    findings = [_by_plan(finding) for finding in findings]
    if len(findings) < 2:
        return findings
    by_process = {facts.process.index: facts for facts in processes}
    steps = _steps(findings, by_process, explained, also or {})
    if steps is None:
        return list(findings)
    seconds = {
        event.key: cost.seconds
        for finding in findings
        for event in finding.events
        if (cost := costs.of(event)) is not None
    }
    always = set(_spared(steps, None)[0])
    going_on = _going_on(findings)
    found = []
    for number, finding in enumerate(findings):
        if (taking := _taking(finding, going_on)) is not None:
            found.append(replace(finding, saves=0.0, saves_of=(taking.rule,)))
            continue
        gone, left = _spared(steps, number)
        spared = [one for one in gone.values() if one.key not in always]
        more = _cost_of_all_but_one(spared, seconds) - sum(seconds.get(key, 0.0) for key in left)
        if finding.rule.leaves_largest and not left:
            more -= _cost_of_largest(finding, by_process, costs)
        is_known = finding.saves is not None
        if finding.seconds is None or is_known or abs(more) <= finding.seconds * _WORTH_SAYING:
            found.append(finding)
            continue
        others = (one.owner for one in spared) if more > 0 else left.values()
        of: dict[About, None] = dict.fromkeys(findings[other].rule for other in others)
        found.append(
            replace(
                finding,
                saves=max(finding.seconds + more, 0.0),
                saves_of=tuple(of),
                spared=len(spared) - len(left),
            )
        )
    return found


def _going_on(findings: Iterable[Finding]) -> dict[tuple[int, str], Finding]:
    """Return the codes that a limit refused for a value that is another one at each step.

    Each with the finding about that value.
    """
    return {
        (event.process, event.code_number): finding
        for finding in findings
        if finding.guarded_value is not None and finding.guarded_value.goes_on
        for event in finding.events
        if isinstance(event, Compile) and event.is_refused
    }


def _taking(finding: Finding, going_on: Mapping[tuple[int, str], Finding]) -> Finding | None:
    """Return whose values take the compiles that this fix leaves, up to the limit of one code.

    So many are made with or without it. None where that is not so for all of its events, or where
    its own values go on.
    """
    if finding.guarded_value is not None and finding.guarded_value.goes_on:
        return None
    if finding.seconds is None or finding.is_note:
        return None
    owners = [
        going_on.get((event.process, event.code_number)) if isinstance(event, Compile) else None
        for event in finding.events
    ]
    return owners[0] if owners and None not in owners else None


def _by_plan(finding: Finding) -> Finding:
    """Return a finding about sizes with what the best plan for them saves, where that is known."""
    choice = finding.subject.choice
    if choice is None or choice.saves is None or finding.seconds is None:
        return finding
    if abs(choice.saves - finding.seconds) <= finding.seconds * _WORTH_SAYING:
        return finding
    return replace(finding, saves=choice.saves)


def _cost_of_largest(
    finding: Finding, processes: Mapping[int, ProcessFacts], costs: Costs
) -> float:
    """Return how many more seconds the costliest captures take than those that they hang on.

    What a process does once is in the seconds of its first capture. So one with fewer nodes than
    the costliest counts for no more than its share of them.
    """
    most: dict[EventKey, tuple[CaptureFacts, CaptureFacts, float]] = {}
    roots: dict[EventKey, CaptureFacts] = {}
    for event in finding.events:
        if not isinstance(event, Capture):
            continue
        facts = processes[event.process].by_id[event.id]
        before = facts.closest
        cost = costs.of(event)
        if before is None or cost is None:
            continue
        root = roots[event.key] = roots.get(before.capture.key, before)
        known = most.get(root.capture.key)
        if known is None or known[2] < cost.seconds:
            most[root.capture.key] = root, facts, cost.seconds
    total = 0.0
    for root, largest, seconds in most.values():
        first = costs.of_capture(root.capture)
        if first is not None:
            nodes = len(largest.nodes)
            share = len(root.nodes) / nodes if nodes else 1.0
            total += max(seconds - min(first.seconds, seconds * (share or 1.0)), 0.0)
    return total


def _cost_of_all_but_one(spared: Iterable[_Spared], seconds: Mapping[EventKey, float]) -> float:
    """Sum what equal events cost, but for the costliest of each, which is left.

    What is left may be an event of no finding, such as the first capture: then all of them go.
    """
    groups: dict[EventKey, list[float]] = {}
    for one in spared:
        groups.setdefault(one.equal, []).append(seconds.get(one.key, 0.0))
    total = 0.0
    for equal, costs in groups.items():
        total += sum(costs)
        if equal in seconds:
            total += seconds[equal] - max(seconds[equal], *costs)
    return total


def _spared(
    steps: Sequence[_Step], without: int | None
) -> tuple[dict[EventKey, _Spared], dict[EventKey, int]]:
    """Return what goes with cause ``without`` of other causes, and what of its own stays.

    Of other causes those go that equal an earlier event then; of its own those stay that another
    cause, whose number is given, made as well, one of equal ones.
    """
    stands_for: dict[EventKey, EventKey] = {}
    first: dict[tuple[EventKey, int, Hashable], EventKey] = {}
    # What those that stay differ in, and from what.
    differs: dict[EventKey, tuple[EventKey, frozenset[_Difference]]] = {}
    left: dict[EventKey, int] = {}
    spared: dict[EventKey, _Spared] = {}
    for step in steps:
        parent = stands_for.get(step.parent, step.parent)
        if step.owner == without:
            if step.rest is None:
                stands_for[step.key] = parent
                continue
            same = first.setdefault((parent, *step.rest), step.key)
            if same == step.key:
                differs[step.key] = parent, step.rest[1]
                left[step.key] = step.rest[0]
            else:
                stands_for[step.key] = same
            continue
        origin, difference = differs.get(parent, (parent, frozenset()))
        if difference and step.sign == _undone(difference):
            same = origin
        else:
            same = first.setdefault((parent, step.owner, step.sign), step.key)
        if same != step.key:
            stands_for[step.key] = same
            spared[step.key] = _Spared(step.key, same, step.owner)
        elif isinstance(step.sign, frozenset):
            differs[step.key] = parent, step.sign
    return spared, left


def _undone(differences: frozenset[_Difference]) -> frozenset[_Difference]:
    return frozenset((name, what, after, before) for name, what, before, after in differences)


def _steps(
    findings: Sequence[Finding],
    facts: Mapping[int, ProcessFacts],
    explained: Sequence[Sequence[Explains]],
    also: Mapping[EventKey, int],
) -> list[_Step] | None:
    """Return recaptures and recompiles that findings explain, in the order in which they happened.

    None if they are more than ``_MAX_EVENTS``, or too many for so many findings.
    """
    recompiles = {
        recompile.compiled.key: recompile for one in facts.values() for recompile in one.recompiles
    }
    owners = {
        (recompile.compiled.process, thing_of(recompile.guard)): number
        for number, finding in enumerate(findings)
        for event in (() if finding.is_shared else finding.events)
        if (recompile := recompiles.get(event.key)) is not None
    }
    for number, finding in enumerate(findings):
        for event in finding.events if finding.is_shared else ():
            if (recompile := recompiles.get(event.key)) is not None:
                for guard in facts[event.process].changed_beside(recompile):
                    owners.setdefault((event.process, thing_of(guard)), number)
    events: dict[EventKey, tuple[Capture | Compile, int]] = {}
    for number, finding in enumerate(findings):
        for event in () if finding.is_shared else finding.events:
            if (isinstance(event, Capture) and event.closest_capture is not None) or (
                isinstance(event, Compile) and event.key in recompiles
            ):
                events.setdefault(event.key, (event, number))
    if len(events) > _MAX_EVENTS or len(events) * len(findings) > _MAX_PAIRS:
        return None
    found: list[tuple[float, _Step]] = []
    by_switch = [_is_by_switch(finding) for finding in findings]
    for key, (event, number) in events.items():
        if isinstance(event, Compile):
            recompile = recompiles[key]
            beside = facts[event.process].changed_beside(recompile)
            step = _of_recompile(recompile, number, beside, owners)
        else:
            capture = facts[event.process].by_id[event.id]
            step = _of_capture(event, capture, number, by_switch[number], explained, also.get(key))
        found.append((event.time or 0.0, step))
    return [step for _, step in sorted(found, key=lambda one: one[0])]


def _of_capture(
    capture: Capture,
    found: CaptureFacts,
    owner: int,
    by_switch: bool,
    explained: Sequence[Sequence[Explains]],
    also: int | None,
) -> _Step:
    """Return a recapture's step, whose sign is what differs; ``by_switch``: what was switched."""
    parent: EventKey = ("capture", capture.process, capture.closest_capture)
    own = explained[owner] if explained else ()
    rest: tuple[int, frozenset[_Difference]] | None = None
    if own:
        left = [
            change
            for change in capture.changes
            if not is_switch(change)
            and (also is not None or not any(explains(found, change) for explains in own))
        ]
        others = list(enumerate(explained))
        for other, explanations in others if also is None else [others[also]]:
            theirs = frozenset(
                _difference(change)
                for change in left
                if any(explains(found, change) for explains in explanations)
            )
            if theirs:
                rest = other, theirs
                break
    changes = filter(is_switch, capture.changes) if by_switch else capture.changes
    sign = frozenset(map(_difference, changes)) - (rest[1] if rest else frozenset())
    return _Step(capture.key, parent, owner, sign, rest)


def _is_by_switch(finding: Finding) -> bool:
    """Return whether something was switched in each capture: the rest that differs came of it.

    How many nodes come of it depends on the graph, and so on other causes.
    """
    captures = [event for event in finding.events if isinstance(event, Capture)]
    return bool(captures) and all(any(map(is_switch, one.changes)) for one in captures)


def _difference(change: Change) -> _Difference:
    return change.name, change.attribute, str(change.before), str(change.after)


def _of_recompile(
    recompile: RecompileFacts,
    owner: int,
    beside: Iterable[Guard],
    owners: Mapping[tuple[int, tuple[str, ...]], int],
) -> _Step:
    """Return a recompile's step; ``beside`` are guards that would have failed without its cause.

    ``owners`` tells whose these are: process and what is guarded → number of the finding.
    """
    compiled, guard = recompile.compiled, recompile.guard
    if compiled.capture is not None:
        parent: EventKey = ("capture", compiled.process, compiled.capture)
        # Which of the graph's inputs it is differs from capture to capture.
        return _Step(compiled.key, parent, owner, (guard.kind, guard.expected, guard.actual))
    parent = ("compile", compiled.process, guard.failed or "")
    came = guard.actual if guard.actual is not None else held(recompile)
    sign: Hashable = compiled.key
    if came is not None:
        sign = (guard.kind, guard.source, guard.index, came)
    rest: tuple[int, frozenset[_Difference]] | None = None
    for other in beside:
        whose = owners.get((compiled.process, thing_of(other)))
        if whose is not None and whose != owner:
            change = other.source, other.kind, str(other.expected), str(other.actual)
            rest = whose, frozenset({change})
            break
    return _Step(compiled.key, parent, owner, sign, rest)
