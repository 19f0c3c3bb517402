"""Rules for tests of what rules are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ca_reports.causes.rules.base import Match, Rule
from tests.unit.reports.made import LINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class Made(Rule):
    """A rule that claims all recaptures."""

    code = "CA901"
    name = "made"
    specificity = 50
    found: ClassVar[dict[str, Any]] = {}

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        events = tuple(found.capture for found in facts.recaptures)
        if events:
            yield Match("made", "fix it", events=events, location=LINE, **self.found)


class Special(Made):
    """One that knows more about the first recapture."""

    code = "CA902"
    name = "special"
    specificity = 60

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        first = facts.recaptures[0]
        yield Match("special", "fix it", events=(first.capture,), location=first.line)
