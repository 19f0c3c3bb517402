"""The two runs of a comparison."""

from __future__ import annotations

from pathlib import Path

import ca_reports
from ca_reports.comparison.runs import RunComparison, Side, compare
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.identities import identify
from ca_reports.run.model import Run
from tests.unit.logwriter import LogWriter
from tests.unit.reports.written import run_folder


def side(run: Run, name: str = "run") -> Side:
    analysis = analyze(run, root=Path("/nowhere"))
    return Side(name, identify(analysis.diagnosis.findings, analysis.places), analysis)


def both(tmp_path: Path, before: LogWriter, after: LogWriter) -> RunComparison:
    runs = [
        ca_reports.load([run_folder(tmp_path / name, log)])
        for name, log in (("a", before), ("b", after))
    ]
    return compare(side(runs[0], "a"), side(runs[1], "b"))
