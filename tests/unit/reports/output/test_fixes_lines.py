"""Patches and proofs in lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.output.fixes_lines import lines, proof_lines
from ca_reports.patching.proof import prove
from ca_reports.patching.result import Fix
from ca_reports.program.edits import Replacement
from ca_reports.run.model import TrialCalls
from tests.unit.reports.patching.proofs import AFTER, BEFORE, FINDING, SAME, with_losses


@pytest.mark.parametrize(
    ("before", "after", "longer", "saved"),
    [
        (1.0, 1.6, 0.6, "1 capture, 1 recompile"),
        (1.0, 1.05, None, ""),  # as much as two runs of one program differ
        (0.2, 0.25, None, ""),
        (2.0, 1.0, None, ""),
        (None, 1.0, None, ""),
    ],
)
def test_what_compiles_longer_says_so(
    before: float | None, after: float, longer: float | None, saved: str
) -> None:
    old = replace(BEFORE, seconds_compiling=before)
    proof = prove(FINDING, SAME, 4, old, replace(AFTER, seconds_compiling=after))
    assert proof.longer == (None if longer is None else pytest.approx(longer))
    if longer is not None:
        assert proof.saved == saved
        assert proof_lines(proof)[0].endswith(
            "lost 3.0 s → 0 s; saves 1 capture, 1 recompile, but compiles 0.60 s longer"
        )
    else:
        assert "longer" not in proof_lines(proof)[0]


def test_more_compiles_save_none() -> None:
    """What ran uncompiled past a limit is compiled with the patch, and counts as no saving."""
    before = replace(
        BEFORE,
        captures=0,
        recompiles=7,
        compiles=8,
        calls=TrialCalls(24, 12),
        seconds_compiling=1.0,
    )
    after = replace(
        AFTER,
        captures=0,
        recompiles=11,
        compiles=12,
        calls=TrialCalls(36, 0),
        seconds_compiling=2.0,
    )
    assert proof_lines(prove(FINDING, SAME, 4, before, after))[0] == (
        "ran 4 backwards: recompiles 7 → 11, compiled calls 24 of 36 → 36 of 36, "
        "lost 3.0 s → 0 s; compiles 1.0 s longer"
    )


def test_what_is_left_is_named_beside_what_was_saved() -> None:
    other = replace(FINDING, key="other", message="weight: float64 → float32")
    before = replace(BEFORE, recompiles=3)
    after = replace(AFTER, recompiles=2, findings=(other,))
    assert proof_lines(prove(FINDING, SAME, 4, before, after)) == [
        "ran 4 backwards: captures 2 → 1, recompiles 3 → 2, lost 3.0 s → 0 s",
        "losses of 4 backwards equal bit for bit",
        "improves it but does not cure it; still there with it:",
        "CA101 (last-batch): weight: float64 → float32",
    ]


def test_the_cure_of_a_crash_says_what_stops_the_program_without_it() -> None:
    before = with_losses(BEFORE, 4.0)
    before = replace(before, exit_code=1, error="IndexError: 1", crashed=True)
    assert proof_lines(prove(FINDING, SAME, 4, before, AFTER)) == [
        "ran 1 → 4 backwards: captures 2 → 1, recompiles 1 → 0",
        "without it the program stops: IndexError: 1",
        "losses of 1 backward equal bit for bit",
    ]


def test_steps_that_take_longer_are_said() -> None:
    before, after = replace(BEFORE, ordinary_seconds=0.1), replace(AFTER, ordinary_seconds=0.3)
    told = proof_lines(prove(FINDING, SAME, 4, before, after))
    assert told[-1] == "a step that compiles nothing takes longer: 0.10 s → 0.30 s"


@pytest.mark.parametrize(
    ("file", "measured"), [("/t/train.py", "; --verify measures it"), ("In[3]", ""), ("-c", "")]
)
def test_what_is_in_no_file_is_measured_by_nothing(file: str, measured: str) -> None:
    patch = replace(SAME, replacements=(Replacement(file, 0, 1, "text"),))
    finding = replace(FINDING, seconds=2.0)
    assert lines(Fix(finding, patch))[2] == f"expected to save 2.0 s{measured}"


def test_a_patch_of_parts_names_each_finding() -> None:
    also = replace(FINDING, message="another")
    assert lines(Fix(FINDING, SAME, also=(also,)))[:3] == [
        "CA101 (last-batch): m",
        "also CA101 (last-batch): another",
        "what",
    ]
