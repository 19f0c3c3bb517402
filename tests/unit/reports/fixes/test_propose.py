"""Which code is fixed where."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from ca_reports.fixes.propose import REMEDIES, propose, propose_for
from ca_reports.rules import find_rule
from tests.unit.reports.fixes.programs import finding_of, in_step, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.analysis import Analysis
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch
    from ca_reports.fixes.program import EditableProgram


def test_a_branch_without_parameters_is_not_at_the_line_of_one_that_has_some(
    tmp_path: Path,
) -> None:
    source = in_step("if step % 2:", "    loss = loss + head(x)")
    program = program_of(tmp_path, {"train.py": source})
    at = ("train.py", line_of(source, "if step"))
    plain = finding_of("CA202", tmp_path, at, key="branch without parameters")
    with_parameters = finding_of("CA202", tmp_path, at, key="branch")

    def of(*findings: Finding) -> list[bool]:
        diagnosis = SimpleNamespace(findings=findings)
        analysis = cast("Analysis", SimpleNamespace(diagnosis=diagnosis))
        return [bool(one.patches) for one in propose(analysis, program)]

    assert of(plain, with_parameters) == [False, True]
    assert of(plain) == [True]


def test_what_has_no_patch_keeps_the_advice(tmp_path: Path) -> None:
    program = program_of(tmp_path, {"train.py": "pass\n"})
    proposal = propose_for(finding_of("CA601", tmp_path, fix="Switch it once."), program)
    assert proposal.refusal == "CA601 has no patch yet: Switch it once."


def test_a_remedy_that_fails_costs_no_other_finding_its_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(finding: Finding, program: EditableProgram) -> list[Patch]:
        raise KeyError("x")

    monkeypatch.setitem(REMEDIES, "CA101", broken)
    program = program_of(tmp_path, {"train.py": "pass\n"})
    proposal = propose_for(finding_of("CA101", tmp_path), program)
    assert proposal.refusal == "the search for one failed, please report it: KeyError: 'x'"
    assert not proposal.patches


def test_every_remedy_is_of_a_rule() -> None:
    assert all(find_rule(code) for code in REMEDIES)
