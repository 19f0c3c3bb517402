"""What counts as proof that a patch did what it is for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.patching.patches import Patch
from ca_reports.patching.proof import Proof, prove
from ca_reports.patching.trial import TrialOutcome
from ca_reports.run.model import Compile, TrialCalls
from tests.unit.reports.patching.proofs import (
    AFTER,
    BEFORE,
    FINDING,
    LOSSES,
    OTHER,
    SAME,
    sums,
    with_losses,
)


@pytest.mark.parametrize(
    ("patch", "losses", "verdict", "at", "words"),
    [
        (SAME, LOSSES, "equal", None, "losses of 4 backwards equal bit for bit"),
        (SAME, (4.0, 3.0, 2.00001, 1.0), "noise", 2, "float noise, bit for bit up to backward 2"),
        (OTHER, (4.0, 3.0, 2.5, 1.5), "intended", 2, "bit for bit before backward 2; from there"),
        (OTHER, (4.0, 3.00001, 2.5, 1.5), "intended", 2, "within float noise before backward 2"),
        # What was compared is said.
        (OTHER, (4.0, 3.0), "equal", None, "losses of the first 2 of 4 backwards equal bit"),
    ],
)
def test_what_is_proven(
    patch: Patch, losses: tuple[float, ...], verdict: str, at: int | None, words: str
) -> None:
    proof = prove(FINDING, patch, 4, BEFORE, with_losses(AFTER, *losses))
    assert (proof.failure, proof.losses, proof.differs_from) == ("", verdict, at)
    assert words in proof.agreement


def test_a_trial_that_was_stopped_says_that_it_compared_the_beginning() -> None:
    before, after = (with_losses(one, *LOSSES, stopped=True) for one in (BEFORE, AFTER))
    assert prove(FINDING, SAME, 4, before, after).agreement == (
        "losses of the first 4 backwards equal bit for bit"
    )


def test_a_recompile_does_not_say_in_which_step_it_was() -> None:
    compiled = replace(FINDING, events=(Compile("0/1", 0, None, None, None),))
    before = replace(BEFORE, findings=(compiled,))
    after = with_losses(AFTER, 4.0, 3.5, 2.5, 1.5)
    proof = prove(compiled, OTHER, 4, before, after)
    assert (proof.failure, proof.losses, proof.differs_from) == ("", "intended", 1)
    assert prove(compiled, SAME, 4, before, after).losses == "different"


def test_a_graph_break_counts() -> None:
    before = replace(BEFORE, captures=1, recompiles=0, graph_breaks=2)
    proof = prove(FINDING, SAME, 4, before, AFTER)
    assert not proof.failure
    assert proof.counts == "captures 1 → 1, graph breaks 2 → 0"


@pytest.mark.parametrize(
    ("patch", "after", "words"),
    [
        (SAME, with_losses(AFTER, 4.0, 3.0, 2.5, 1.5), "changes the losses from backward 2"),
        # By intention from backward 2 on, and not before.
        (OTHER, with_losses(AFTER, 4.0, 3.5, 2.5, 1.5), "changes the losses from backward 1"),
        (SAME, with_losses(AFTER, 4.0, "nan", 2.0, 1.0), "changes the losses from backward 1"),
        (SAME, replace(AFTER, captures=3, recompiles=2), "saves no capture"),
        (SAME, replace(AFTER, trials=()), "no loss and no result of a compiled call"),
        (SAME, with_losses(AFTER, 4.0, 3.0), "it ran 2 backwards of 4"),
        (
            SAME,
            replace(AFTER, exit_code=1, error="KeyError: 1", crashed=True),
            "the patched program ended with: KeyError: 1",
        ),
        (SAME, replace(AFTER, exit_code=3, error="too bad"), "its exit code was 0 and is 3"),
    ],
)
def test_what_is_not_offered(patch: Patch, after: TrialOutcome, words: str) -> None:
    assert words in prove(FINDING, patch, 4, BEFORE, after).failure


def test_what_is_left_is_named_and_no_reason_to_refuse_what_saves() -> None:
    """Recompiles 8 → 1: an improvement, and not a cure."""
    new, other = replace(FINDING, key="new"), replace(FINDING, key="other")
    before = replace(BEFORE, recompiles=8, findings=(FINDING, other))
    after = replace(AFTER, recompiles=1, findings=(FINDING, other, new))
    proof = prove(FINDING, SAME, 4, before, after)
    assert proof.failure == ""
    # `other` has a patch of its own.
    assert proof.left == (FINDING, new)
    assert prove(FINDING, SAME, 4, before, replace(after, findings=(other,))).left == ()


def crashed(outcome: TrialOutcome, error: str) -> TrialOutcome:
    return replace(outcome, exit_code=1, error=error, crashed=True)


def test_the_cure_of_a_crash_counts_whatever_was_compiled() -> None:
    before = crashed(with_losses(BEFORE, 4.0), "IndexError: tuple index out of range")
    after = replace(AFTER, captures=2, recompiles=1)
    proof = prove(FINDING, SAME, 4, before, after)
    assert (proof.failure, proof.cures_crash) == ("", True)
    assert proof.agreement == "losses of 1 backward equal bit for bit"
    assert proof.longer is None
    first = crashed(with_losses(BEFORE), "ValueError: 1")
    assert prove(FINDING, SAME, 4, first, after).agreement == (
        "the program stopped before anything could be compared"
    )
    other = with_losses(after, 5.0, 3.0)
    assert "changes the losses" in prove(FINDING, SAME, 4, before, other).failure


def test_a_program_that_still_stops_proves_nothing() -> None:
    before = crashed(with_losses(BEFORE, 4.0), "ValueError: 1")
    after = crashed(with_losses(AFTER, 4.0), "ValueError: 1")
    assert prove(FINDING, SAME, 4, before, after).failure == (
        "the program still stops: ValueError: 1"
    )
    later = replace(crashed(after, "IndexError: 2"), backwards=before.backwards + 3)
    assert prove(FINDING, SAME, 4, before, later).failure == (
        f"the program still stops, later (after {later.backwards} backwards): IndexError: 2"
    )


def test_an_exit_code_of_the_programs_own_may_stay() -> None:
    before, after = (replace(one, exit_code=3, error="too bad") for one in (BEFORE, AFTER))
    assert prove(FINDING, SAME, 4, before, after).failure == ""


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (TrialCalls(33, 0), TrialCalls(3, 30), "it runs 30 of 33 calls uncompiled"),
        (TrialCalls(24, 9), TrialCalls(3, 30), "30 of 33 calls uncompiled (9 of 33 without it)"),
        # Decorated with `disable`, no call comes to what was compiled.
        (TrialCalls(33, 0), TrialCalls(3, 0), "only 3 compiled calls of 33 are left"),
        (
            TrialCalls(100, 0, 0.01),
            TrialCalls(95, 5, 0.01, 0.5),
            "it runs 5 calls uncompiled, which take 72% of the time of all",
        ),
        (TrialCalls(100, 0, 0.01), TrialCalls(95, 5, 0.01, 0.01), ""),
        (TrialCalls(24, 9), TrialCalls(33, 0), ""),
        (TrialCalls(), TrialCalls(), ""),
    ],
)
def test_nothing_is_won_by_not_compiling(before: TrialCalls, after: TrialCalls, words: str) -> None:
    proof = prove(FINDING, SAME, 4, replace(BEFORE, calls=before), replace(AFTER, calls=after))
    assert words in proof.failure
    assert bool(proof.failure) == bool(words)


def test_a_crash_is_not_cured_by_not_compiling() -> None:
    before = crashed(with_losses(BEFORE, 4.0), "FailOnRecompileLimitHit: 1")
    after = replace(with_losses(AFTER, 4.0), calls=TrialCalls(24, 24))
    eager = replace(SAME, runs_eager=True)
    failure = prove(FINDING, eager, 4, before, after).failure
    assert failure == "it ends the crash by running 24 of 48 calls uncompiled"
    few = replace(after, calls=TrialCalls(47, 1))
    assert prove(FINDING, eager, 4, before, few).cures_crash
    assert not prove(FINDING, eager, 4, before, few).failure
    # What else runs uncompiled then is said.
    told = prove(FINDING, SAME, 4, before, after)
    assert (told.failure, "24 of 48" in told.counts) == ("", True)


def test_a_patch_that_leaves_nothing_compiled_is_not_offered() -> None:
    after = replace(AFTER, captures=0, compiles=0)
    assert prove(FINDING, SAME, 4, BEFORE, after).failure == "nothing is compiled with it"


def test_how_many_calls_run_uncompiled_is_said() -> None:
    proof = prove(
        FINDING,
        SAME,
        4,
        replace(BEFORE, calls=TrialCalls(24, 9)),
        replace(AFTER, calls=TrialCalls(32, 1)),
    )
    assert proof.counts.endswith("compiled calls 24 of 33 → 32 of 33")


def test_more_compiles_are_won_where_calls_ran_uncompiled() -> None:
    """Past a recompile limit: the wanted variants take 11 recompiles, where it were 7."""
    before = replace(BEFORE, recompiles=7, compiles=8, calls=TrialCalls(24, 12))
    after = replace(AFTER, recompiles=11, compiles=12, calls=TrialCalls(36, 0))
    assert prove(FINDING, SAME, 4, before, after).failure == ""
    same = replace(after, calls=TrialCalls(24, 12))
    assert "saves no capture" in prove(FINDING, SAME, 4, before, same).failure


@pytest.mark.parametrize(("lost", "is_offered"), [(9.0, False), (2.0, True)])
def test_more_graph_breaks_have_to_pay(lost: float, *, is_offered: bool) -> None:
    before = replace(BEFORE, recompiles=9, graph_breaks=1)
    after = replace(AFTER, recompiles=5, graph_breaks=3, seconds_lost=lost)
    failure = prove(FINDING, SAME, 4, before, after).failure
    assert failure == (
        "" if is_offered else "it brings more recompiles or graph breaks than it saves"
    )


def unchanged(*losses: float) -> tuple[TrialOutcome, TrialOutcome]:
    return BEFORE, with_losses(BEFORE, *losses)


def proof_of(*losses: float, unchanged: tuple[TrialOutcome, TrialOutcome] | None = None) -> Proof:
    return prove(FINDING, SAME, 4, BEFORE, with_losses(AFTER, *losses), unchanged)


def test_a_program_whose_losses_differ_from_run_to_run_says_so() -> None:
    proof = proof_of(4.5, 3.0, 2.0, 1.0)
    assert proof.has_other_results
    assert proof.failure == "it changes the losses from backward 0 on"
    assert proof_of(4.5, 3.0, 2.0, 1.0, unchanged=(BEFORE, BEFORE)).failure == proof.failure
    other = proof_of(4.5, 3.0, 2.0, 1.0, unchanged=unchanged(4.2, 3.0, 2.0, 1.0))
    assert "differ from run to run without a patch" in other.failure


def test_what_differs_from_run_to_run_is_not_compared() -> None:
    varying = unchanged(4.0, 3.0, 2.0, 1.5)
    proof = proof_of(4.0, 3.0, 2.0, 1.7, unchanged=varying)
    assert (proof.failure, proof.losses) == ("", "equal")
    assert proof.agreement == (
        "losses of the first 3 of 4 backwards equal bit for bit; "
        "later ones differ from run to run without a patch, too"
    )
    assert proof_of(4.0, 3.4, 2.0, 1.7, unchanged=varying).failure == (
        "it changes the losses from backward 1 on"
    )


def test_gradients_and_weights_are_compared() -> None:
    before = with_losses(BEFORE, *LOSSES, gradients=sums(1, 2, 3, 4), weights=sums(5, 6, 7, 8))
    after = with_losses(AFTER, *LOSSES, gradients=sums(1, 2, 3, 4), weights=sums(5, 6, 7, 8))
    assert prove(FINDING, SAME, 4, before, after).agreement == (
        "losses, gradients and weights of 4 backwards equal bit for bit"
    )
    detached = with_losses(AFTER, *LOSSES, gradients=sums(1, 2, 1, 4), weights=sums(5, 6, 7, 8))
    assert prove(FINDING, SAME, 4, before, detached).failure == (
        "it changes the gradients from backward 2 on"
    )
    trained = with_losses(AFTER, *LOSSES, gradients=sums(1, 2, 3, 4), weights=sums(5, 6, 7.1, 8.1))
    assert prove(FINDING, SAME, 4, before, trained).failure == (
        "it changes the weights from backward 2 on"
    )


def test_other_tensors_that_ask_for_gradients_are_named() -> None:
    """An averaged copy: no loss, no gradient and no weight differs."""
    weights = sums(5, 6, 7, 8)
    before = with_losses(BEFORE, *LOSSES, weights=weights, asking=(2, 2, 2, 2))
    after = with_losses(
        AFTER,
        *LOSSES,
        weights=weights,
        asking=(2, 3, 3, 3),
        asking_names=("Average.weight",),
    )
    assert prove(FINDING, SAME, 4, before, after).failure == (
        "it changes what is trained: 1 more tensor has requires_grad (Average.weight) at backward 1"
    )
    kept = Patch("gradients dropped", (), keeps_requires_grad=True)
    assert prove(FINDING, kept, 4, before, after).failure == ""


def test_a_compile_counts() -> None:
    before = replace(BEFORE, captures=0, recompiles=0, compiles=4)
    after = replace(AFTER, captures=0, compiles=1)
    proof = prove(FINDING, SAME, 4, before, after)
    assert not proof.failure
    assert proof.counts == "compiles 4 → 1"


def test_a_function_that_is_compiled_again_counts() -> None:
    before = replace(BEFORE, captures=0, recompiles=0, compiles=2, skipped=1)
    after = replace(AFTER, captures=0)
    proof = prove(FINDING, SAME, 4, before, after)
    assert not proof.failure
    assert "skipped functions 1 → 0" in proof.counts


def test_without_a_backward_what_is_printed_is_compared() -> None:
    before = replace(with_losses(BEFORE), printed="a\nb\n")
    after = replace(with_losses(AFTER), printed="a\nb\n")
    proof = prove(FINDING, SAME, 4, before, after)
    assert (proof.failure, proof.losses) == ("", "equal")
    assert proof.agreement == "no backward ran; 2 printed lines equal"
    other = prove(FINDING, SAME, 4, before, replace(after, printed="a\nc\n"))
    assert other.failure == "it prints something else: 'c' for 'b'"
    assert other.has_other_results
    silent = replace(before, printed="")
    assert "no loss" in prove(FINDING, SAME, 4, silent, replace(after, printed="")).failure
    gone = prove(FINDING, SAME, 4, replace(before, findings=()), after)
    assert gone.failure == "CA101 did not show again"


def test_what_a_training_prints_counts_as_well() -> None:
    before, after = (
        replace(BEFORE, printed="accuracy 0.5\n"),
        replace(AFTER, printed="accuracy 0.7\n"),
    )
    proof = prove(FINDING, SAME, 4, before, after)
    assert proof.failure == "it prints something else: 'accuracy 0.7' for 'accuracy 0.5'"
    same = prove(FINDING, SAME, 4, before, replace(after, printed=before.printed))
    assert same.agreement == "losses of 4 backwards equal bit for bit; 1 printed line equal"
    # With other samples it prints other results.
    others = with_losses(after, 4.0, 3.0, 2.5, 1.5)
    assert prove(FINDING, OTHER, 4, before, others).failure == ""


def test_a_finding_that_did_not_show_proves_nothing() -> None:
    proof = prove(FINDING, SAME, 4, replace(BEFORE, findings=()), AFTER)
    assert proof.failure == "CA101 did not show within 4 backwards: --steps takes more"


def test_a_compile_that_is_saved_is_told_where_nothing_else_is() -> None:
    before = replace(BEFORE, captures=0, recompiles=0, compiles=4, seconds_compiling=1.0)
    after = replace(AFTER, captures=0, compiles=1, seconds_compiling=2.0)
    assert prove(FINDING, SAME, 4, before, after).saved == "3 compiles"


def test_what_lost_nothing_gets_no_patch_that_only_saves_compiles_and_compiles_longer() -> None:
    known = replace(FINDING, severity="info")
    before = replace(BEFORE, findings=(known,), compiles=13, graph_breaks=8)
    after = replace(AFTER, captures=2, recompiles=1, compiles=7, graph_breaks=8, seconds_lost=9.0)
    assert prove(FINDING, SAME, 4, replace(before, findings=(FINDING,)), after).failure == ""
    assert (
        prove(known, SAME, 4, before, after).failure == "nothing was lost, and it compiles longer"
    )
    # Half of the breaks are gone: that is what torch counts.
    assert prove(known, SAME, 4, before, replace(after, graph_breaks=4)).failure == ""


def test_steps_that_take_longer_are_said() -> None:
    before, after = replace(BEFORE, ordinary_seconds=0.1), replace(AFTER, ordinary_seconds=0.3)
    assert prove(FINDING, SAME, 4, before, after).slower_steps == (0.1, 0.3)
    assert (
        prove(FINDING, SAME, 4, before, replace(after, ordinary_seconds=0.12)).slower_steps is None
    )


def silent(outcome: TrialOutcome, *given: float, tensors: int = 1) -> TrialOutcome:
    """``outcome`` of an inference that prints nothing; its compiled calls gave these."""
    return replace(with_losses(outcome, results=sums(*given, tensors=tensors)), losses=())


@pytest.mark.parametrize(
    ("after", "failure", "words"),
    [
        (silent(AFTER, 1.0, 2.0), "", "what 2 compiled calls gave is equal bit for bit"),
        (silent(AFTER, 1.0, 2.00001), "", "is equal within float noise"),
        (silent(AFTER, 1.0), "", "what 1 of 2 compiled calls gave is equal bit for bit"),
        (silent(AFTER, 1.0, 3.0), "changes what compiled calls give from call 1 on", ""),
        # Another graph, of which nothing can be compared.
        (silent(AFTER, 1.0, 2.0, tensors=3), "no result of a compiled call could be", ""),
    ],
)
def test_an_inference_that_prints_nothing_is_proven_by_what_its_calls_give(
    after: TrialOutcome, failure: str, words: str
) -> None:
    proof = prove(FINDING, SAME, 0, silent(BEFORE, 1.0, 2.0), after)
    assert failure in proof.failure
    assert bool(failure) == bool(proof.failure)
    assert words in proof.agreement


def test_results_that_differ_from_run_to_run_prove_nothing() -> None:
    before, again = silent(BEFORE, 1.0, 2.0), silent(BEFORE, 1.5, 2.0)
    proof = prove(FINDING, SAME, 0, before, silent(AFTER, 1.2, 2.0), (before, again))
    assert "differs from run to run without a patch, too" in proof.failure
    assert proof.has_other_results


def test_a_compile_that_no_longer_raises_is_saved_also_where_the_program_caught_it() -> None:
    caught = replace(BEFORE, captures=1, recompiles=0, raised=2)
    same = replace(AFTER, captures=1, recompiles=0, compiles=caught.compiles + 6)
    assert "saves no capture" in prove(FINDING, SAME, 4, replace(caught, raised=0), same).failure
    proof = prove(FINDING, SAME, 4, caught, same)
    assert not proof.failure
    assert "compiles that raised 2 → 0" in proof.counts
