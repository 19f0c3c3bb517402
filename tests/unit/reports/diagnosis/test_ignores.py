"""Findings that a comment on their line silences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.rules.base import Rule
from ca_reports.diagnosis.analysis import analyze
from ca_reports.program.files import RecordedSource
from ca_reports.run.model import Frame
from tests.unit.reports.made import captured, run_of
from tests.unit.reports.ruled import Made, Special

if TYPE_CHECKING:
    from pathlib import Path


def test_findings_are_ignored_by_code_and_counted(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    analysis = analyze(run_of(captured(0), captured(1), captured(2)), ignore=["ca902"])
    found = analysis.diagnosis
    assert [finding.code for finding in found.findings] == ["CA901"]
    assert found.silenced == {"CA902": 1}
    # What it cost is no less for being ignored.
    assert analysis.summary.seconds_lost == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("comment", "silenced"),
    [
        ("# ca: ignore[CA902]", True),
        ("# ca: ignore[CA101, ca902]  as agreed", True),
        ("# noqa: X  # ca:ignore", True),
        ("# ca: ignore[CA101]", False),
        ("# ca ignore", False),
    ],
)
def test_a_comment_on_the_line_silences(
    comment: str, silenced: bool, rules: list[type[Rule]]
) -> None:
    rules += [Special]
    line = Frame("/t/train.py", 7, "main", f"loss.backward()  {comment}")
    found = analyze(run_of(captured(0), captured(1, line=line))).diagnosis
    assert bool(found.findings) is not silenced


def test_the_comment_is_read_from_the_file_if_the_log_has_no_line(
    tmp_path: Path, rules: list[type[Rule]]
) -> None:
    rules += [Special]
    script = tmp_path / "train.py"
    script.write_text("x\nloss.backward()  # ca: ignore[CA902]\n")
    for code in ("", "loss.backward()"):
        line = Frame(str(script), 2, "main", code)
        run = run_of(captured(0), captured(1, line=line))
        assert not analyze(replace(run, source_roots=(str(tmp_path),))).diagnosis.findings
        assert analyze(run).diagnosis.findings  # a log that comes from elsewhere
    # A file that is another one by now says nothing about the run.
    other = Frame(str(script), 2, "main", "total.backward()")
    run = run_of(captured(0), captured(1, line=other))
    assert analyze(replace(run, source_roots=(str(tmp_path),))).diagnosis.findings


def test_a_comment_may_come_after_the_run(tmp_path: Path, rules: list[type[Rule]]) -> None:
    rules += [Special]
    script = tmp_path / "train.py"
    line = Frame(str(script), 2, "main", "loss.backward()")
    kept = {str(script): RecordedSource("0" * 32, "x\nloss.backward()\n")}
    run = replace(
        run_of(captured(0), captured(1, line=line)), source_roots=(str(tmp_path),), source=kept
    )
    assert analyze(run).diagnosis.findings
    script.write_text("x\nloss.backward()  # ca: ignore[CA902]\n")
    assert not analyze(run).diagnosis.findings
