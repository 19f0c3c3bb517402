"""Reports of each command, and what of a text is markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from ca_reports.comparison.runs import Limits, Outcome, RunComparison, Side, compare
from ca_reports.diagnosis.analysis import analyze
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import findings_to_know
from ca_reports.output import reported
from ca_reports.output.reported import Report
from ca_reports.run.model import Run
from tests.unit.reports.gates.made import NASTY, judged

BUDGETS = {"max-recaptures": 0.0, "max-captures": 9.0}


def explained(run: Run) -> Report:
    return reported.of_analysis(analyze(run))


def checked(run: Run, settings: GateSettings | None = None) -> Report:
    chosen = settings or GateSettings(BUDGETS)
    return reported.of_verdict(judged(run, chosen))


def compared(run: Run) -> RunComparison:
    found = findings_to_know(judged(run, GateSettings()))
    analysis = analyze(run)
    return compare(Side(NASTY, found[1:], analysis), Side("head", found, analysis))


def diffed(run: Run) -> Report:
    return reported.of_outcome(Outcome(compared(run), Limits(new=True), ("1 new finding",)))


REPORTS = [explained, checked, diffed]


class Page(HTMLParser):
    """What of a text becomes markup."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.append(tag)
