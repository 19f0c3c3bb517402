"""Run → findings: which rule explains which event, what it cost, worst first."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.findings import MAX_EVIDENCE, MAX_LOOPS, Diagnosis, Finding
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules import all_rules
from ca_reports.causes.rules.base import FALLBACK
from ca_reports.causes.rules.structure import is_switch
from ca_reports.diagnosis.asked_for import with_asked_for
from ca_reports.diagnosis.ignores import is_silenced
from ca_reports.diagnosis.joined import joined, one_a_line
from ca_reports.diagnosis.limits import with_causes_of_limits
from ca_reports.diagnosis.locating import locate
from ca_reports.diagnosis.savings import with_savings
from ca_reports.diagnosis.together import with_those_needed
from ca_reports.facts.guard_paths import without_ids
from ca_reports.program.stack import in_torch, is_installed
from ca_reports.run.model import Capture, Compile, CudaGraph, Failure, GraphBreak

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ca_reports.causes.findings import Confidence, Severity
    from ca_reports.causes.remedies import Edits, NoEdits
    from ca_reports.causes.rules.base import Match, Rule
    from ca_reports.facts.costs import Costs
    from ca_reports.facts.evidence import Evidence
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.files import SourceFiles
    from ca_reports.run.model import Event, EventKey

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_LESS_SURE: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}


def diagnose(
    processes: Iterable[ProcessFacts],
    costs: Costs,
    files: SourceFiles,
    ignore: Collection[str] = (),
) -> Diagnosis:
    """Find what went wrong in a run; findings of the codes in ``ignore`` are only counted.

    ``files`` may hold comments that silence some. Errors come first, then by the seconds that a
    fix saves, then by code, so that equal runs give equal lists.
    """
    claims: list[_Claim] = []
    failed: dict[str, None] = {}
    every, rules = tuple(processes), all_rules()
    for facts in every:
        claims += _resolve(_claims(facts, rules, failed))
    groups = _groups(claims)
    findings = [_finding(group, costs) for group in groups]
    findings = locate(findings, [facts.process for facts in every], files, failed, rules)
    findings = with_asked_for(findings, every)
    changes = one_a_line(findings)
    explained = [
        [
            claim.match.explains
            for position in change
            for claim in groups[position]
            if claim.match.explains is not None
        ]
        for change in changes
    ]
    number_of = {
        id(claim): number
        for number, change in enumerate(changes)
        for position in change
        for claim in groups[position]
    }
    also = {
        key: number_of[id(other)]
        for group in groups
        for claim in group
        for key, other in claim.taken_from.items()
        if id(other) in number_of
    }
    findings = [joined([findings[position] for position in change]) for change in changes]
    findings = with_savings(findings, every, costs, explained, also)
    findings = with_those_needed(with_causes_of_limits(findings))
    findings.sort(key=_rank)
    ignored = {code.upper() for code in ignore}
    silenced: Counter[str] = Counter()
    kept, quiet = [], []
    for found in findings:
        if found.code in ignored or any(
            is_silenced(found.code, line, files) for line in (found.location, found.noticed_at)
        ):
            silenced[found.code] += 1
            quiet.append(found)
        else:
            kept.append(found)
    return Diagnosis(tuple(kept), dict(silenced), tuple(failed), tuple(quiet))


@dataclass
class _Claim:
    """A match of one process and what it holds after resolution."""

    rule: type[Rule]
    match: Match
    process: int
    facts: ProcessFacts
    events: list[Event] = field(default_factory=list)
    # Those of another claim in which this cause shows as well.
    shared: list[Event] = field(default_factory=list)
    other_rules: set[type[Rule]] = field(default_factory=set)
    # Whose its events are as well: they had been that claim's, which explains a part of them.
    taken_from: dict[EventKey, _Claim] = field(default_factory=dict)

    @property
    def specificity(self) -> int:
        own = self.match.specificity
        return self.rule.specificity if own is None else own


def _claims(
    facts: ProcessFacts, rules: Iterable[type[Rule]], failed: dict[str, None]
) -> list[_Claim]:
    """Ask each rule about a process; one that raises is noted in ``failed``."""
    claims: list[_Claim] = []
    claimed: set[EventKey] = set()
    # The fallback comes last: of 20,000 captures it would say something that others explain.
    for rule in sorted(rules, key=lambda rule: rule.specificity == FALLBACK):
        if rule.needs_recorder and not facts.recorded:
            continue
        try:
            matches = [
                match
                for match in rule().matches(facts)
                if rule.specificity > FALLBACK
                or any(event.key not in claimed for event in match.events)
            ]
        except Exception as error:
            # A log may hold what no rule expects; one rule's failure must not take the
            # findings of the others with it.
            failed[f"{rule.code}: {type(error).__name__}: {error}"] = None
            continue
        claims += [_Claim(rule, match, facts.process.index, facts) for match in matches]
        claimed.update(event.key for match in matches for event in match.events)
    return claims


def _resolve(claims: list[_Claim]) -> list[_Claim]:
    """Return each event to the most specific rule that claims it; of equals to the lower code."""
    winners: dict[EventKey, _Claim] = {}
    by_rank = sorted(claims, key=lambda claim: (-claim.specificity, claim.rule.code))
    for claim in by_rank:
        for event in claim.match.events:
            winner = winners.get(event.key)
            if winner is None:
                winners[event.key] = claim
                claim.events.append(event)
            elif claim.match.is_beside:
                claim.shared.append(event)
            elif winner.rule is not claim.rule and claim.specificity > FALLBACK:
                winner.other_rules.add(claim.rule)
    held = [claim for claim in claims if claim.events]
    for claim in by_rank:
        if claim.match.events and not (claim.events or claim.shared):
            _share(claim, winners, held)
            held += [claim] if claim.events or claim.shared else []
    return [claim for claim in claims if claim.events or claim.shared or not claim.match.events]


def _share(claim: _Claim, winners: dict[EventKey, _Claim], held: Sequence[_Claim]) -> None:
    """Find the captures of ``claim`` that others took and do not explain whole.

    They are its own where enough are left to the others, and shared with them else. ``held`` are
    the claims that have events: what one of them explains elsewhere is no cause beside it.
    """
    left = [
        event
        for event in claim.match.events
        if winners[event.key].match.explains is not None and _is_left(event, claim, held)
    ]
    own = []
    for event in left:
        winner = winners[event.key]
        winner.other_rules.discard(claim.rule)
        if len(winner.events) > 1:
            winner.events.remove(event)
            winners[event.key] = claim
            claim.taken_from[event.key] = winner
            own.append(event)
    claim.events, claim.shared = own, [] if own else left
    if left and claim.match.confidence == "low":
        # It came second to what explains the rest: now nothing else is left that could be it.
        claim.match = replace(claim.match, confidence="medium")


def _is_left(event: Event, claim: _Claim, held: Sequence[_Claim]) -> bool:
    """Return whether ``claim`` explains something of a capture that no other claim does."""
    shows = claim.match.shows or claim.match.explains
    if shows is None or not isinstance(event, Capture):
        return False
    found = claim.facts.by_id[event.id]
    others = [one.match.explains for one in held if one.match.explains is not None]
    return any(
        shows(found, change) and not any(other(found, change) for other in others)
        for change in found.changes
        # Whatever is switched counts by the nodes that it changes.
        if not is_switch(change)
    )


def _groups(claims: list[_Claim]) -> list[list[_Claim]]:
    """Return claims that are one finding: the same rule at the same line with the same key."""
    groups: dict[tuple[object, ...], list[_Claim]] = {}
    for claim in claims:
        line = claim.match.noticed_at or claim.match.location
        place = None if line is None else (line.file, line.line)
        key, group = without_ids(claim.match.key), claim.match.group
        if not key and group is None:
            group = claim.match.message
        groups.setdefault((claim.rule.code, key, group, place), []).append(claim)
    return list(groups.values())


def _finding(group: list[_Claim], costs: Costs) -> Finding:
    first = group[0]
    events = [event for claim in group for event in claim.events]
    cost = costs.sum(events)
    is_shared = not events and any(claim.shared for claim in group)
    if is_shared:
        events = [event for claim in group for event in claim.shared]
    evidence: dict[Evidence, None] = dict.fromkeys(
        found for claim in group for found in (*claim.match.evidence, *_raised_in(claim))
    )
    loops = dict.fromkeys(
        found
        for claim in group
        for event in claim.events
        if (found := claim.facts.loop_of(event)) is not None
    )
    counts = [
        _times(claim.events or claim.shared) if claim.match.count is None else claim.match.count
        for claim in group
    ]
    sure = first.match.confidence
    location = next((claim.match.location for claim in group if claim.match.location), None)
    noticed = first.match.noticed_at
    if location is not None and noticed is not None:
        # What a library computes with the loss (accelerate divides it) is nobody's line to change.
        is_librarys = is_installed(location.file) and not is_installed(noticed.file)
        location = noticed if is_librarys else location
    line = location or noticed
    if line is not None and in_torch(line.file):
        line = None  # a function of torch's own, such as a wrapper, is nobody's line to edit
    return Finding(
        rule=first.rule.about(),
        severity=_severity(first, events),
        message=first.match.message,
        remedy=remedy(first.match.fix, _edits(first)),
        key=without_ids(first.match.key),
        location=line,
        noticed_at=first.match.noticed_at or location,
        captures=_unique(event.label for event in events if isinstance(event, Capture)),
        compile_ids=_unique(_compile_ids(events)),
        count=max(1, sum(counts)),
        seconds=None if cost is None else cost.seconds,
        is_shared=is_shared,
        is_note=first.match.is_note,
        evidence=tuple(evidence)[:MAX_EVIDENCE],
        confidence=sure if first.facts.recorded else _LESS_SURE[sure],
        other_rules=tuple(
            rule.about()
            for rule in sorted(
                {rule for claim in group for rule in claim.other_rules} - {first.rule},
                key=lambda rule: rule.code,
            )
        ),
        chain=next((claim.match.chain for claim in group if claim.match.chain), None),
        processes=tuple(sorted({claim.process for claim in group})),
        phases={} if cost is None else cost.phases,
        subject=first.match.subject,
        detail=first.match.detail,
        loops=tuple(loops)[:MAX_LOOPS],
        events=tuple(events),
    )


def _severity(claim: _Claim, events: Iterable[Event]) -> Severity:
    """Return the rule's; what hit a limit is no information: it has run uncompiled since."""
    own = claim.match.severity or claim.rule.severity
    is_at_limit = any(isinstance(event, Compile) and event.is_refused for event in events)
    return "warning" if own == "info" and is_at_limit else own


def _edits(claim: _Claim) -> Edits | NoEdits:
    own = claim.match.edits
    return claim.rule.edits if own is None else own


def _raised_in(claim: _Claim) -> Iterator[Evidence]:
    """Yield the guards whose failure led to the compiles that raised what a claim is about."""
    for event in claim.events:
        recompile = claim.facts.recompile_that_raised(event) if isinstance(event, Failure) else None
        if recompile is not None:
            yield recompile.evidence


def _times(events: Iterable[Event]) -> int:
    """Count events; a compile that torch refused did not happen."""
    return sum(not (isinstance(event, Compile) and event.is_refused) for event in events)


def _compile_ids(events: list[Event]) -> Iterable[str]:
    for event in events:
        if isinstance(event, Compile | CudaGraph) or (
            isinstance(event, GraphBreak | Failure) and event.compile_id
        ):
            yield event.compile_id or ""


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _rank(finding: Finding) -> tuple[bool, int, float, bool, int, str, str]:
    """Order findings: errors, then by what a fix saves, more events first; what needs none last.

    Of two causes of the same events the one that has them comes first.
    """
    return (
        finding.is_note,
        0 if finding.severity == "error" else 1,
        -finding.worth + _SEVERITIES.index(finding.severity) * 1e-9,
        finding.is_shared,
        -len(finding.events) - finding.spared,
        finding.code,
        finding.message,
    )
