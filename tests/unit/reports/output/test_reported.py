"""What a command reports, whatever the format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.comparison.runs import Outcome
from ca_reports.errors import CaError
from ca_reports.gates.config import GateSettings
from ca_reports.output.reported import headline, of_outcome, script_of
from tests.unit.reports.gates.made import judged, sample
from tests.unit.reports.output.reported import BUDGETS, checked, compared, diffed, explained

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.diagnosis.analysis import Analysis


def test_an_explanation_judges_nothing(tmp_path: Path) -> None:
    report = explained(sample(tmp_path))
    assert report.ok is None
    assert report.headline == "4 findings"
    assert {one.standing for one in report.findings} == {""}
    assert report.findings[0].title == "CA702 float-value"


def test_what_fails_comes_first(tmp_path: Path) -> None:
    report = checked(sample(tmp_path))
    fails = [one.fails for one in report.findings]
    assert fails == sorted(fails, reverse=True)
    assert report.ok is False
    assert report.headline == "Failed: 1 of 2 budgets exceeded."
    assert [check.ok for check in (*report.exceeded, *report.held)] == [False, True]


def test_a_verdict_in_one_line(tmp_path: Path) -> None:
    run = sample(tmp_path)
    passed = headline(judged(run, GateSettings({"max-captures": 9.0})))
    assert passed == "Passed: 3 captures, at most 9."
    failed = headline(judged(run, GateSettings({**BUDGETS, "max-seconds-lost": 1.0})))
    assert failed == "Failed: 2 of 3 budgets exceeded."


def test_a_comparison_tells_new_from_known_and_needs_a_second_run(tmp_path: Path) -> None:
    run = sample(tmp_path)
    report = diffed(run)
    assert [one.standing for one in report.findings] == ["new", "known", "known", "known"]
    assert report.ok is False
    found = compared(run)
    with pytest.raises(CaError, match="HEAD is a baseline"):
        of_outcome(Outcome(replace(found, head=replace(found.head, analysis=None))))


def recorded_as(script: str, analysis: Analysis) -> Analysis:
    """The same run of another script, as far as anything tells."""
    run = analysis.run
    processes = tuple(replace(process, argv=()) for process in run.processes)
    recorded = tuple(replace(one, script=script) for one in run.recorded)
    return replace(analysis, run=replace(run, processes=processes, recorded=recorded))


def test_the_script_is_that_of_the_run_below_the_repository(tmp_path: Path) -> None:
    report = explained(sample(tmp_path))
    assert script_of(report.analysis) == report.script == "train.py"
    elsewhere = recorded_as("notebook.ipynb", report.analysis)
    assert script_of(elsewhere) is None
