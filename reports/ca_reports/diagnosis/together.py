"""Names the remedies that save nothing without each other, each in the sentence of the other.

Torch compiles for whatever differs. Where two values change in the same calls, a reader who takes
the first advice alone has as many compiles as before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.sentences.places import in_brief
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding

# Whoever has to put more right than these reads the list of findings.
_NAMED = 3


def with_those_needed(findings: Sequence[Finding]) -> list[Finding]:
    """Return ``findings``; the remedy of one that saves nothing alone names what it takes besides.

    ``findings`` have their savings and their lines.
    """
    return [_with_needed(found, _needed(found, findings)) for found in findings]


def _needed(finding: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that show in the very events of one that saves nothing alone."""
    if finding.is_note or finding.severity == "info":
        return []
    if not (finding.is_shared or (finding.saves == 0 and finding.saves_of)):
        return []
    keys = {event.key for event in finding.events}
    return [
        other
        for other in findings
        if other is not finding
        and not other.is_note
        and (finding.is_shared or other.is_shared or other.rule in finding.saves_of)
        and not keys.isdisjoint(event.key for event in other.events)
    ]


def _with_needed(finding: Finding, needed: Sequence[Finding]) -> Finding:
    if not needed:
        return finding
    them = listed([_named(other) for other in needed], _NAMED)
    sentence = f"{finding.fix}; it takes the fix of {them} as well"
    return replace(finding, remedy=finding.remedy.instead(sentence))


def _named(finding: Finding) -> str:
    value = finding.guarded_value
    what = "" if value is None else f" (`{value.ref}`)"
    at = "" if finding.location is None else f" at {in_brief(finding.location)}"
    return f"{finding.code}{at}{what}"
