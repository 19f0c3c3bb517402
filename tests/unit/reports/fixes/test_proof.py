"""What counts as proof that a patch did what it is for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.fixes.patches import Patch
from ca_reports.fixes.proof import prove
from ca_reports.model import Compile
from ca_reports.trial import TrialOutcome
from tests.unit.reports.fixes.proofs import AFTER, BEFORE, FINDING, OTHER, SAME


@pytest.mark.parametrize(
    ("patch", "losses", "verdict", "at", "words"),
    [
        (SAME, (4.0, 3.0, 2.0, 1.0), "equal", None, "of 4 backwards equal bit for bit"),
        (SAME, (4.0, 3.0, 2.00001, 1.0), "noise", 2, "float noise, bit for bit up to backward 2"),
        (OTHER, (4.0, 3.0, 2.5, 1.5), "intended", 2, "bit for bit before backward 2; from there"),
        (OTHER, (4.0, 3.00001, 2.5, 1.5), "intended", 2, "within float noise before backward 2"),
        (OTHER, (4.0, 3.0), "equal", None, "of 2 backwards equal"),
    ],
)
def test_what_is_proven(
    patch: Patch, losses: tuple[float, ...], verdict: str, at: int | None, words: str
) -> None:
    proof = prove(FINDING, patch, 4, BEFORE, replace(AFTER, losses=losses))
    assert (proof.failure, proof.losses, proof.differs_from) == ("", verdict, at)
    assert words in proof.agreement


def test_a_recompile_does_not_say_in_which_step_it_was() -> None:
    compiled = replace(FINDING, events=(Compile("0/1", 0, None, None, None),))
    before = replace(BEFORE, findings=(compiled,))
    after = replace(AFTER, losses=(4.0, 3.5, 2.5, 1.5))
    proof = prove(compiled, OTHER, 4, before, after)
    assert (proof.failure, proof.losses, proof.differs_from) == ("", "intended", 1)
    assert prove(compiled, SAME, 4, before, after).losses == "different"


def test_a_graph_break_counts() -> None:
    before = replace(BEFORE, captures=1, recompiles=0, graph_breaks=2)
    proof = prove(FINDING, SAME, 4, before, AFTER)
    assert not proof.failure
    assert proof.counts == "captures 1 → 1, recompiles 0 → 0, graph breaks 2 → 0"


@pytest.mark.parametrize(
    ("patch", "after", "words"),
    [
        (SAME, replace(AFTER, losses=(4.0, 3.0, 2.5, 1.5)), "changes the losses from backward 2"),
        # By intention from backward 2 on, and not before.
        (OTHER, replace(AFTER, losses=(4.0, 3.5, 2.5, 1.5)), "changes the losses from backward 1"),
        (SAME, replace(AFTER, losses=(4.0, "nan", 2.0, 1.0)), "changes the losses from backward 1"),
        (SAME, replace(AFTER, findings=(FINDING,)), "CA101 is still there"),
        (SAME, replace(AFTER, captures=3), "saves no capture"),
        (SAME, replace(AFTER, losses=()), "no loss could be compared"),
        (SAME, replace(AFTER, backwards=2, losses=(4.0, 3.0)), "it ran 2 backwards of 4"),
        (SAME, replace(AFTER, exit_code=1, error="KeyError: 1"), "ended with: KeyError: 1"),
    ],
)
def test_what_is_not_offered(patch: Patch, after: TrialOutcome, words: str) -> None:
    assert words in prove(FINDING, patch, 4, BEFORE, after).failure


def test_a_patch_that_leaves_what_is_compiled_out_is_not_offered() -> None:
    before = replace(BEFORE, captures=0, compiles=3)
    after = replace(AFTER, captures=0, compiles=1)
    nothing = replace(after, compiles=0)
    assert prove(FINDING, SAME, 4, before, nothing).failure == "nothing is compiled with it"
    few = replace(after, stances={"default": 1, "force_eager": 7})
    assert prove(FINDING, SAME, 4, before, few).failure == "it runs 7 of 8 calls uncompiled"
    many = replace(after, stances={"default": 6, "force_eager": 2})
    assert prove(FINDING, SAME, 4, before, many).failure == ""


@pytest.mark.parametrize(("lost", "is_offered"), [(9.0, False), (2.0, True)])
def test_more_graph_breaks_have_to_pay(lost: float, *, is_offered: bool) -> None:
    before = replace(BEFORE, recompiles=9, graph_breaks=1)
    after = replace(AFTER, recompiles=5, graph_breaks=3, seconds_lost=lost)
    failure = prove(FINDING, SAME, 4, before, after).failure
    assert failure == (
        "" if is_offered else "it brings more recompiles or graph breaks than it saves"
    )


def test_a_program_whose_losses_differ_from_run_to_run_says_so() -> None:
    proof = prove(FINDING, SAME, 4, BEFORE, replace(AFTER, losses=(4.5, 3.0, 2.0, 1.0)))
    assert proof.compared_with(BEFORE).failure == "it changes the losses from backward 0 on"
    other = proof.compared_with(replace(BEFORE, losses=(4.2, 3.0, 2.0, 1.0)))
    assert "differ from run to run without a patch" in other.failure


def test_a_compile_counts() -> None:
    before = replace(BEFORE, captures=0, recompiles=0, compiles=4)
    after = replace(AFTER, captures=0, compiles=1)
    proof = prove(FINDING, SAME, 4, before, after)
    assert not proof.failure
    assert proof.counts == "captures 0 → 0, recompiles 0 → 0, compiles 4 → 1"


def test_without_a_backward_what_is_printed_is_compared() -> None:
    before = replace(BEFORE, backwards=0, losses=(), printed="a\nb\n")
    after = replace(AFTER, backwards=0, losses=(), printed="a\nb\n")
    proof = prove(FINDING, SAME, 4, before, after)
    assert (proof.failure, proof.losses) == ("", "equal")
    assert proof.agreement == "no backward ran; 2 printed lines equal"
    assert (
        "prints something else"
        in prove(FINDING, SAME, 4, before, replace(after, printed="a\nc\n")).failure
    )
    silent = replace(before, printed="")
    assert "no loss" in prove(FINDING, SAME, 4, silent, replace(after, printed="")).failure
    gone = prove(FINDING, SAME, 4, replace(before, findings=()), after)
    assert gone.failure == "CA101 did not show again"


def test_a_finding_that_did_not_show_proves_nothing() -> None:
    proof = prove(FINDING, SAME, 4, replace(BEFORE, findings=()), AFTER)
    assert proof.failure == "CA101 did not show within 4 backwards: --steps takes more"


def test_a_compile_that_is_saved_is_told_where_nothing_else_is() -> None:
    before = replace(BEFORE, captures=0, recompiles=0, compiles=4, seconds_compiling=1.0)
    after = replace(AFTER, captures=0, compiles=1, seconds_compiling=2.0)
    assert prove(FINDING, SAME, 4, before, after).saved == "3 compiles"


def test_what_lost_nothing_gets_no_patch_that_compiles_longer() -> None:
    before, after = replace(BEFORE, compiles=5), replace(AFTER, compiles=4, seconds_lost=9.0)
    known = replace(FINDING, severity="info")
    assert prove(FINDING, SAME, 4, before, after).failure == ""
    assert (
        prove(known, SAME, 4, before, after).failure == "nothing was lost, and it compiles longer"
    )
