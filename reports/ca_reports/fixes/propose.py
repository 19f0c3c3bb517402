"""Findings → proposals: which code is fixed where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.fixes import detach, drop_last, dynamic, gradients, moving
from ca_reports.fixes.patches import Proposal, RefusedError
from ca_reports.fixes.program import EditableProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ca_reports.analysis import Analysis
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch

# What makes the patches for a finding of that code.
REMEDIES: dict[str, Callable[[Finding, EditableProgram], list[Patch]]] = {
    "CA101": drop_last.patches,
    "CA102": dynamic.patches,
    "CA201": gradients.patches,
    "CA204": detach.patches,
    "CA210": moving.function_class,
    "CA302": moving.hook,
}


def propose(
    analysis: Analysis, program: EditableProgram, codes: Collection[str] = ()
) -> tuple[Proposal, ...]:
    """Propose a patch for each finding of ``codes``, or for every one."""
    return tuple(
        propose_for(finding, program)
        for finding in analysis.diagnosis.findings
        if not codes or finding.code in codes
    )


def propose_for(finding: Finding, program: EditableProgram) -> Proposal:
    """Propose a patch for one finding."""
    remedy = REMEDIES.get(finding.code)
    if remedy is None:
        return Proposal(finding, refusal=f"{finding.code} has no patch yet: {finding.fix}")
    try:
        return Proposal(finding, tuple(remedy(finding, program)))
    except RefusedError as refused:
        return Proposal(finding, refusal=str(refused))
