"""A run on one line."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import Diagnosis
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.output.json_line import FINDINGS, render
from tests.unit.reports.gates.made import NASTY

if TYPE_CHECKING:
    from ca_reports.run.model import Run


def test_it_is_one_line_with_the_figures_of_the_report(run: Run) -> None:
    analysis = analyze(run)
    text = render(analysis)
    assert text.count("\n") == 1
    line, report = json.loads(text), json_output.document(analysis)
    assert line["summary"] == report["summary"]
    assert line["schema_version"] == report["schema_version"]
    assert [found["code"] for found in line["findings"]] == [
        found["code"] for found in report["findings"]
    ]


def test_of_many_findings_the_costliest_are_on_it_and_all_are_counted(run: Run) -> None:
    analysis = analyze(run)
    first = replace(analysis.diagnosis.findings[0], message=NASTY * 50)
    line = render(replace(analysis, diagnosis=Diagnosis((first,) * 25)))
    found = json.loads(line)
    assert (len(found["findings"]), found["findings_total"]) == (FINDINGS, 25)
    assert len(line) < 16_000
    assert "\x1b" not in line
