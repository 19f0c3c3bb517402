"""Findings about what the program asks for, whichever rule made them: notes, or only information.

A variant that a warm-up asks for is chosen, and nothing is to be done. What is switched once, and
a backward that adds to gradients, is compiled once as well, and a fix could save even that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.remedies import NoEdits, remedy
from ca_reports.sentences import asked_for as words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.causes.findings import Finding
    from ca_reports.facts.costs import Inherent
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import EventKey


def with_asked_for(findings: Iterable[Finding], processes: Iterable[ProcessFacts]) -> list[Finding]:
    """Return ``findings``; those whose events are all asked for say so, and are no warning."""
    asked = {key: why for facts in processes for key, why in facts.asked_for.items()}
    return [_told(found, asked) for found in findings]


def _told(finding: Finding, asked: Mapping[EventKey, Inherent]) -> Finding:
    whys = {asked.get(event.key) for event in finding.events}
    why = whys.pop() if len(whys) == 1 else None
    if why is None:
        return finding
    message = f"{finding.message}; {words.SEEN[why]}"
    if why == "warm_up":
        own = remedy(words.NOTHING, NoEdits(words.NO_EDITS))
        return replace(finding, message=message, remedy=own, severity="info", is_note=True)
    if finding.is_note:
        return finding
    told = f"{words.SAVED[why]}{finding.remedy.sentence}{words.COSTS.get(why, '')}"
    return replace(finding, message=message, remedy=finding.remedy.instead(told), severity="info")
