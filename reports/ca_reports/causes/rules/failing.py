"""Shared by the rules about exceptions; not a rule itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import PATTERN, Match
from ca_reports.facts.evidence import Evidence

if TYPE_CHECKING:
    from ca_reports.causes.findings import Confidence, Severity
    from ca_reports.run.model import Failure

# What quotes torch's own error of an event is surer than what else could be said of it.
QUOTES = PATTERN + 30
_LONGEST = 200


def match(
    failure: Failure, message: str, fix: str, *, severity: Severity | None = None,
    confidence: Confidence = "high", key: str = "", specificity: int = QUOTES,
) -> Match:  # fmt: skip
    """Return what a rule says of an exception, at the line that raised it.

    One that the program caught, or that Dynamo kept from it, is a warning.
    """
    is_over = failure.outcome in ("caught", "suppressed")
    return Match(
        message=message,
        fix=fix,
        events=(failure, *failure.captures),
        location=failure.location,
        noticed_at=failure.called_from or failure.location,
        evidence=(Evidence(_seen(failure), failure.file, failure.line),),
        severity=severity or ("warning" if is_over else None),
        confidence=confidence,
        key=key,
        count=failure.count,
        specificity=specificity,
    )


def _seen(failure: Failure) -> str:
    head = failure.text.strip().split("\n", 1)[0][:_LONGEST]
    colon = "" if failure.ended and failure.seen.endswith("with") else ":"
    return f"{failure.seen}{colon} {head}"
