"""What `ca fix` refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import NoEdits, Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.patching.patches import Proposal
from ca_reports.run.model import Failure, Frame
from tests.unit.cli.programs import run_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_that_was_not_recorded_here_gets_no_patch(tmp_path: Path) -> None:
    from ca_reports.patching.patches import RefusedError
    from ca_reports.patching.program import EditableProgram
    from ca_reports.program.files import SourceFiles

    run = run_of(tmp_path, "ca", "run", "train.py")
    with pytest.raises(RefusedError, match="not recorded here"):
        EditableProgram(run, SourceFiles.of(run))


def test_what_is_left_and_what_is_gone_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ca_cli.commands.fix import _say_left_out
    from ca_reports.patching.result import Fixes

    rule = find_rule("CA102")
    assert rule is not None
    refused, new, gone = (
        Finding(rule.about(), "warning", f"message {key}", Remedy("f"), key=key)
        for key in ("refused", "new", "gone")
    )
    refused = replace(refused, location=Frame("train.py", 7, "step", ""))
    fixes = Fixes(
        {},
        refused=(Proposal(refused, refusal="two calls of it"),),
        left=(refused, new),
        gone=(gone, replace(gone, severity="info")),
    )
    crash = Failure("compile", "KeyError: 'x'", "0/0 failed", "log", function="step")
    run = run_of(tmp_path, "ca", "run", "train.py")
    _say_left_out(fixes, run, crash)
    assert capsys.readouterr().err.splitlines() == [
        "the run crashed: compiling `step` raised KeyError: 'x'; no patch is known",
        "CA102 (varying-length) at train.py:7: no patch: two calls of it",
        "    fix: f",
        "CA102 (varying-length): gone with the patches that are offered",
        "still there with the patch: CA102 (varying-length): message new",
    ]
    # THEN a reason that the sentence holds is said once
    reason = "two calls of it"
    again = replace(
        refused, remedy=Remedy(f"by hand: {reason}", NoEdits(reason, is_in_sentence=True))
    )
    one = Fixes({}, refused=(Proposal(again, refusal=reason),))
    _say_left_out(one, run, None)
    assert capsys.readouterr().err.splitlines() == [
        "CA102 (varying-length) at train.py:7: no patch",
        "    fix: by hand: two calls of it",
    ]
    _say_left_out(Fixes({}), run, crash)
    assert "nothing to fix" not in capsys.readouterr().err
    _say_left_out(Fixes({}), run, None)
    assert capsys.readouterr().err == "nothing to fix\n"
