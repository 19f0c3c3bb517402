"""From events to findings: who explains what, what it cost, and what is kept quiet."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import ca_reports
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, terminal
from ca_reports.output import json as json_output
from ca_reports.run.model import Capture, CaptureSeconds
from tests.unit.logwriter import sample_run
from tests.unit.reports.causes.rules.recompiled import compiled, explained
from tests.unit.reports.made import captured, run_of
from tests.unit.reports.ruled import Made, Special

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ca_reports.causes.findings import Finding
    from ca_reports.facts.process import ProcessFacts


class Broken(Made):
    """One with a bug."""

    code = "CA903"
    name = "broken"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        raise KeyError("nothing")


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


def test_what_needs_nothing_comes_last_and_the_rest_costliest_first() -> None:
    analysis = explained(
        compiled(0),
        compiled(1, "self._modules['drop'].training == True"),
        compiled(2, "mode == 'a'", "mode == 'a'"),
        replace(compiled(3, "n == 3", "n == 3", "n == 3"), seconds=9.0),
    )
    diagnosis = analysis.diagnosis
    assert [found.code for found in diagnosis.fixes] == ["CA701", "CA703"]
    worth = [found.worth for found in diagnosis.fixes]
    assert worth == sorted(worth, reverse=True)
    assert [found.code for found in diagnosis.notes] == ["CA715"]
    assert diagnosis.findings == (*diagnosis.fixes, *diagnosis.notes)

    text = io.StringIO()
    terminal.render(analysis, Console(file=text, width=200))
    lines = text.getvalue().splitlines()
    ends = [
        number
        for number, line in enumerate(lines)
        if line in ("Fixes, costliest first", "Notes: nothing to do")
        or line.startswith(("  CA701", "  CA703", "  CA715"))
    ]
    assert [lines[number].split()[0] for number in ends] == [
        "Fixes,", "CA701", "CA703", "Notes:", "CA715",
    ]  # fmt: skip
    assert "        to do: nothing: each mode is compiled once" in text.getvalue()
    page = html.render(analysis)
    assert page.index("Fixes, costliest first") < page.index("CA703 mode-value")
    assert page.index("CA703 mode-value") < page.index("Notes: nothing to do")
    assert page.index("Notes: nothing to do") < page.index("CA715 train-and-eval")


def test_what_hit_a_limit_is_no_information(tmp_path: Path) -> None:
    # GIVEN a log with the warning of a limit alone, of the size that a second compile makes dynamic
    path = tmp_path / "train.log"
    path.write_text(
        "torch._dynamo hit config.recompile_limit (64)\n"
        "   function: 'forward' (/t/head.py:4)\n"
        "   last reason: 1/0: tensor 'x' size mismatch at index 2. expected 1696, actual 992\n"
    )
    # WHEN it is explained
    (found,) = analyze(ca_reports.load([path])).diagnosis.findings
    # THEN the function has run uncompiled since, and that is what a gate fails for
    assert (found.code, found.severity) == ("CA102", "warning")
