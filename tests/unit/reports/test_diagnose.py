"""From events to findings: who explains what, what it cost, and what is kept quiet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import ca_reports
from ca_reports import diagnose as diagnosing
from ca_reports.analysis import analyze
from ca_reports.model import (
    Capture,
    CaptureSeconds,
    Frame,
    RecordedSource,
)
from ca_reports.render import html
from ca_reports.render import json as json_output
from ca_reports.rules.base import Match, Rule
from tests.unit.logwriter import sample_run
from tests.unit.reports.made import LINE, captured, run_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import Finding


class Made(Rule):
    """A rule that claims all recaptures."""

    code = "CA901"
    name = "made"
    specificity = 50
    found: ClassVar[dict[str, Any]] = {}

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        events = tuple(found.capture for found in facts.recaptures)
        if events:
            yield Match("made", "fix it", events=events, location=LINE, **self.found)


class Special(Made):
    """One that knows more about the first recapture."""

    code = "CA902"
    name = "special"
    specificity = 60

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        first = facts.recaptures[0]
        yield Match("special", "fix it", events=(first.capture,), location=first.line)


class Broken(Made):
    """One with a bug."""

    code = "CA903"
    name = "broken"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        raise KeyError("nothing")


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> list[type[Rule]]:
    """Return the list of rules that are run; tests fill it."""
    used: list[type[Rule]] = []
    monkeypatch.setattr(diagnosing, "all_rules", lambda: tuple(used))
    return used


def also(found: Finding) -> list[str]:
    return [rule.code for rule in found.other_rules]


def test_an_event_goes_to_the_more_specific_rule(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    findings = analyze(run_of(captured(0), captured(1), captured(2))).diagnosis.findings
    assert {found.code: found.captures for found in findings} == {
        "CA901": ("!2",),
        "CA902": ("!1",),
    }
    assert {found.code: also(found) for found in findings} == {"CA901": [], "CA902": ["CA901"]}


def test_a_rule_that_loses_every_event_is_only_mentioned(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    (found,) = analyze(run_of(captured(0), captured(1))).diagnosis.findings
    assert (found.code, also(found)) == ("CA902", ["CA901"])


def test_equal_findings_of_several_processes_are_one(rules: list[type[Rule]]) -> None:
    rules += [Made]
    run = run_of(captured(0), captured(1), captured(0, 1), captured(1, 1), captured(2, 1))
    (found,) = analyze(run).diagnosis.findings
    assert found.captures == ("!1", "!2")
    assert found.processes == (0, 1)
    assert found.count == 3
    assert found.seconds == pytest.approx(3 * (1.0 + 2.0))


def test_findings_are_ranked_by_what_they_cost(rules: list[type[Rule]]) -> None:
    rules += [Made, Special]
    cheap = captured(1, seconds=CaptureSeconds(0.1, 0.1))
    findings = analyze(run_of(captured(0), cheap, captured(2))).diagnosis.findings
    assert [found.code for found in findings] == ["CA901", "CA902"]


def test_a_rule_that_raises_leaves_the_others_alone(rules: list[type[Rule]]) -> None:
    rules += [Broken, Made]
    found = analyze(run_of(captured(0), captured(1))).diagnosis
    assert [finding.code for finding in found.findings] == ["CA901"]
    assert found.failed_rules == ("CA903: KeyError: 'nothing'",)


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


def test_everything_is_worked_out_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = ca_reports.load([sample_run().write(tmp_path / "trace.log")])
    decoded: list[int] = []
    unpack = vars(type(run.captures[0]))["autograd_lines"].fget

    def noting(capture: Capture) -> Any:
        decoded.append(capture.id)
        return unpack(capture)

    monkeypatch.setattr(type(run.captures[0]), "autograd_lines", property(noting))
    analysis = analyze(run)
    html.render(analysis)
    json_output.render(analysis)
    assert sorted(decoded) == sorted(capture.id for capture in run.captures)
