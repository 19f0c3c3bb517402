"""Shared by the rules about errors; not a rule itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ca_reports.findings import Evidence
from ca_reports.rules.base import Match
from ca_reports.stack import in_torch

if TYPE_CHECKING:
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import Confidence, Severity
    from ca_reports.model import Capture, Frame


# The file that Dynamo names for a line of a captured graph.
_GRAPH = "<eval_with_key>"


@dataclass(frozen=True)
class Failure:
    """An error of a backward: in its capture, in a run of it, or one that ended the process.

    ``text`` is the exception's type and text, cut; ``line`` the user's line that raised. ``events``
    are the captures that failed so: one that fails is not kept, and tried again at each step.
    """

    text: str
    line: Frame | None
    evidence: Evidence
    events: tuple[Capture, ...] = ()

    def match(
        self, message: str, fix: str, *, severity: Severity | None = None,
        confidence: Confidence = "high",
    ) -> Match:  # fmt: skip
        """Return what a rule says of this error, at the line that raised it."""
        return Match(
            message=message,
            fix=fix,
            events=self.events,
            noticed_at=self.line,
            evidence=(self.evidence,),
            severity=severity,
            confidence=confidence,
        )


def failures(facts: ProcessFacts) -> tuple[Failure, ...]:
    """All errors of a process, each text once: that of a capture often ends the process too."""
    found: dict[str, Failure] = {}
    process = facts.process
    for known in facts.captures:
        capture = known.capture
        if capture.error:
            evidence = Evidence(f"{capture.label} failed: {_first(capture.error)}",
                                capture.file, capture.line)  # fmt: skip
            first = found.setdefault(
                capture.error, Failure(capture.error, capture.backward_call, evidence)
            )
            found[capture.error] = replace(first, events=(*first.events, capture))
    for hazard in process.hazards:
        if hazard.kind == "backward_failed" and hazard.error:
            evidence = Evidence(
                f"backward {hazard.step} failed: {_first(hazard.error)}", hazard.file, hazard.line
            )
            found.setdefault(hazard.error, Failure(hazard.error, hazard.backward_call, evidence))
    for compiled in process.compiles:
        if compiled.fail_reason and compiled.capture is not None:
            text = f"{compiled.fail_type}: {compiled.fail_reason}"
            evidence = Evidence(f"{compiled.compile_id} failed: {_first(text)}", process.file)
            found.setdefault(text, Failure(text, compiled.location, evidence))
    end = process.end
    if end is not None and end.error_text:
        users = [frame for frame in end.error_stack if not in_torch(frame.file)]
        evidence = Evidence(f"the process ended with {_first(end.error_text)}", process.file)
        found.setdefault(
            end.error_text, Failure(end.error_text, users[-1] if users else None, evidence)
        )
    return tuple(found.values())


def is_of_tracing(error: str) -> bool:
    """Whether Dynamo raised ``error`` while it traced a captured graph, whatever its type is."""
    return "\nfrom user code:" in error and _GRAPH in error


def _first(text: str) -> str:
    return text.strip().split("\n", 1)[0][:200]
