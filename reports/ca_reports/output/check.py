"""Prints the verdict of ``ca check`` on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import terminal
from ca_reports.output.reported import headline, totals_of

if TYPE_CHECKING:
    from rich.console import Console

    from ca_reports.causes.findings import Finding
    from ca_reports.gates.gate import Check, Verdict

_RED, _GREEN, _YELLOW = "bold red", "bold green", "yellow"


def render(verdict: Verdict, console: Console) -> None:
    """Print a line for each budget exceeded, the findings behind them, and the outcome."""
    analysis = verdict.analysis
    lines = [(_exceeded(check), _RED) for check in verdict.exceeded]
    findings: dict[int, Finding] = {}
    for check in verdict.exceeded:
        for one in check.behind:
            findings.setdefault(id(one), one.finding)
    for judged in verdict.failing:
        findings.setdefault(id(judged.found), judged.found.finding)
    decided = verdict.inconclusive_reason is None
    # Why it is not is the error that the command ends with.
    told = headline(verdict) if decided else "Not judged."
    after = [(told, _GREEN if verdict.ok and decided else _RED)]
    if not verdict.ok:
        after.append((totals_of(analysis), ""))
    after += [(note, _YELLOW) for note in verdict.notes]
    terminal.render_findings(analysis, console, list(findings.values()), before=lines, after=after)


def _exceeded(check: Check) -> str:
    return f"{check.kind.key}: {check.sentence()}" + (f" ({check.codes})" if check.codes else "")
