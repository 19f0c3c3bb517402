"""Findings of one change that several functions met: one line to edit, one finding.

Where a graph break splits what is compiled, a size or a value is an argument of each part, under
names of their own (`x` and `args[0]`, `use_aux` and `kwargs['use_aux']`), and each part is
recompiled for it. A number that a forward is compiled for may be one that its backward keeps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ca_reports.causes.findings import MAX_EVIDENCE, MAX_LOOPS
from ca_reports.facts.guard_paths import guard_path
from ca_reports.sentences.places import in_brief
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from ca_reports.causes.findings import Finding

_T = TypeVar("_T")


def one_a_line(findings: Sequence[Finding]) -> list[list[int]]:
    """Group the positions of those that are one change at one line, the best to tell first.

    That is the first with a plain name; by what they cost, one run would name `inputs` and the next
    one `logits`. What only shares the events of others comes last. Groups come in the order of
    their members.
    """
    groups: dict[Hashable, list[int]] = {}
    changes = [_change(found) for found in findings]
    for position, found in enumerate(findings):
        change = changes[position] if found.baked is None else _of_forward(found, findings, changes)
        groups.setdefault(position if change is None else change, []).append(position)
    return [
        sorted(group, key=lambda position: _order(findings[position])) for group in groups.values()
    ]


def _of_forward(
    baked: Finding, findings: Sequence[Finding], changes: Sequence[Hashable | None]
) -> Hashable | None:
    """Find the change of the forward for the number that a backward keeps; None if none is."""
    for position, other in enumerate(findings):
        value = other.guarded_value
        if baked.baked is not None and value is not None and baked.baked.is_of(value):
            change = changes[position]
            return position if change is None else change
    return None


def _order(finding: Finding) -> tuple[bool, bool, bool]:
    is_plain = (finding.subject.source or finding.key).isidentifier()
    return finding.baked is not None, finding.is_shared, not is_plain


def joined(findings: Sequence[Finding]) -> Finding:
    """Join ``findings``, which have one line: the first, with the events and costs of all."""
    first, *others = findings
    if not others:
        return first
    # What is shared has its events, and their seconds, from another finding.
    own = [found for found in findings if not found.is_shared] or findings
    timed = [found.seconds for found in own if found.seconds is not None]
    phases: dict[str, float] = {}
    for found in own:
        for phase, seconds in found.phases.items():
            phases[phase] = phases.get(phase, 0.0) + seconds
    told = {found.rule.code for found in others}
    baked = [found for found in others if found.baked is not None and first.baked is None]
    return replace(
        first,
        message="; ".join((first.message, *map(_kept, baked))),
        remedy=first.remedy.instead(
            "; ".join([first.fix, *(_also(one) for one in baked if _is_elsewhere(one, first))])
        ),
        known_by=next((found.known_by for found in findings if found.is_located), None),
        captures=_each_once(found.captures for found in findings),
        compile_ids=_each_once(found.compile_ids for found in findings),
        count=sum(found.count for found in own),
        seconds=sum(timed) if timed else None,
        phases=phases,
        evidence=_each_once(found.evidence for found in findings)[:MAX_EVIDENCE],
        other_rules=tuple(
            rule
            for rule in _each_once(found.other_rules for found in findings)
            if rule.code not in told
        ),
        processes=tuple(sorted(_each_once(found.processes for found in findings))),
        loops=_each_once(found.loops for found in findings)[:MAX_LOOPS],
        events=tuple({event.key: event for found in findings for event in found.events}.values()),
    )


def _kept(finding: Finding) -> str:
    """Say that the backward is captured for a number that the forward is compiled for, too."""
    number, captured = finding.baked, counted(len(finding.captures), "capture")
    return (
        "" if number is None else f"{captured} more as {number.node} keeps it ({number.attribute})"
    )


def _is_elsewhere(finding: Finding, first: Finding) -> bool:
    return finding.location is not None and finding.location != first.location


def _also(finding: Finding) -> str:
    at = "" if finding.location is None else f" ({in_brief(finding.location)})"
    return f"and where the backward keeps it{at}: {finding.fix}"


def _change(finding: Finding) -> Hashable | None:
    """Return what is the same for all functions that met a change; None for what stands alone."""
    line = finding.location
    if line is None:
        return None
    place = (finding.code, finding.severity, line.file, line.line)
    varied = finding.subject
    if finding.rule.joined_by == "sizes":
        return (*place, varied.dimensions, varied.values) if varied.values else None
    names = guard_path(finding.key).names
    return (*place, names[-1]) if finding.rule.joined_by == "name" and names else None


def _each_once(groups: Iterable[Iterable[_T]]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(one for group in groups for one in group))
