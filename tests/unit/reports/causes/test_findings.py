"""Findings, and what two of them have in common."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.causes.findings import About, Finding, Subject
from ca_reports.causes.remedies import Remedy
from tests.unit.reports.made import captured


def test_it_has_the_code_and_the_name_of_its_rule() -> None:
    finding = Finding(About("CA101", "last-batch"), "warning", "shrank", Remedy("drop it"))
    assert (finding.code, finding.name) == ("CA101", "last-batch")
    assert str(finding.rule) == "CA101 (last-batch)"


def test_what_it_was_made_of_does_not_count_when_it_is_compared() -> None:
    finding = Finding(About("CA101", "last-batch"), "warning", "shrank", Remedy("drop it"))
    assert replace(finding, events=(captured(0),), subject=Subject("x")) == finding
    assert replace(finding, count=2) != finding
