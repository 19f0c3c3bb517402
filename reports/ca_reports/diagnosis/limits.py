"""A recompile limit that is an error, told with what made the function be compiled so often."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.run.model import Compile
from ca_reports.run.refusals import LIMIT_IS_ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding


def with_causes_of_limits(findings: Sequence[Finding]) -> list[Finding]:
    """Return ``findings``, each limit that is an error with the remedy and the line of its cause.

    That is the costliest finding about recompiles of the same function; without one, a finding
    stays as it is.
    """
    return [_with_cause(found, findings) for found in findings]


def _with_cause(finding: Finding, findings: Sequence[Finding]) -> Finding:
    failure = finding.failure
    if failure is None or failure.type != LIMIT_IS_ERROR:
        return finding
    own = failure.process, _code(failure.compile_id or "")
    causes = [
        other
        for other in findings
        if other.failure is None and not other.is_note and own in _recompiled(other)
    ]
    cause = max(causes, key=lambda other: other.seconds or 0.0, default=None)
    if cause is None:
        return finding
    what = f"`{failure.function}`" if failure.function else "the function"
    remove = f"remove what {what} is recompiled for ({cause.code}): {cause.fix}"
    # A limit that is another thread's has a remedy of its own.
    raised = f"{finding.fix}; or " if finding.remedy.edits else ""
    # The place of a limit is the function that was compiled, where nothing is to be edited.
    line = finding.location if raised else cause.location or finding.location
    return replace(finding, location=line, remedy=finding.remedy.instead(f"{raised}{remove}"))


def _recompiled(finding: Finding) -> set[tuple[int, str]]:
    return {
        (event.process, _code(event.compile_id))
        for event in finding.events
        if isinstance(event, Compile) and event.has_failed_guards
    }


def _code(compile_id: str) -> str:
    """Dynamo's number of the code: ``0`` of ``0/8``."""
    return compile_id.rpartition("/")[0]
