"""Plans that short runs tried."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.sizes.costs import LEAST_NOISE
from ca_reports.facts.sizes.examined import examine
from ca_reports.facts.sizes.measured import chosen, measurement, setting, with_measured
from ca_reports.facts.sizes.plans import Measurement
from ca_reports.sentences.sizes import notes
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import each_by_itself
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.facts.sizes.plans import FunctionPlans

SIZES = {60: 40, 64: 30, 120: 10, 250: 5}


@pytest.fixture
def found(tmp_path: Path) -> FunctionPlans:
    (one,) = examine(loaded(each_by_itself(SIZES), tmp_path), 1000).functions
    return one


def test_the_best_of_three_kinds_are_tried_and_what_is_done_now(found: FunctionPlans) -> None:
    kinds = [found.plans[at].kind for at in chosen(found)]
    assert "as_is" in kinds
    assert len(kinds) in (3, 4)
    assert len(set(kinds)) == len(kinds)


def test_a_plan_is_a_setting_of_the_engine(found: FunctionPlans) -> None:
    by_kind = {plan.kind: plan for plan in found.plans}
    assert setting(by_kind["as_is"], found.function) == ""
    padded = json.loads(setting(by_kind["one_length"], found.function))
    assert padded["how"] == "pad"
    assert padded["sizes"] == [[250]]
    assert padded["arguments"] == [[["ids", 1], ["mask", 1]]]
    assert (padded["file"], padded["function"]) == ("/home/user/train.py", "step")
    assert json.loads(setting(by_kind["mark_dynamic"], found.function))["how"] == "mark"


def test_a_short_run_is_read(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 2.0)
    log.compiled("0/1", 1.0)
    log.own(
        "ca_trial", time=START + 9, starts=[0.0, 0.5, 2.0, 2.5, 3.0], losses=[1.0] * 5,
        gradients=[], weights=[], buffers=[], asking=[], asking_names=[], compiles=[1, 1, 2, 2, 2],
        skipped=0, stopped=True,
        calls={"compiled": 5, "eager": 0, "compiled_seconds": 0.1, "eager_seconds": None},
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    measured = measurement(loaded(log, tmp_path))
    assert measured.error is None
    assert measured.compiles == 2
    assert measured.each == (0.5, None, 0.5, 0.5)
    assert measured.compile_seconds == pytest.approx(3.0)
    assert measured.total == pytest.approx(5.0)
    assert measurement(loaded(log, tmp_path), "boom").error == "boom"


def test_a_program_without_backwards_is_measured_by_its_calls(
    tmp_path: Path, found: FunctionPlans
) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 2.0)
    log.compiled("0/1", 1.0)
    log.own(
        "ca_trial", time=START + 9, starts=[], losses=[], gradients=[], weights=[], buffers=[],
        asking=[], asking_names=[], compiles=[], skipped=0, stopped=True,
        calls={"compiled": 6, "eager": 0, "compiled_seconds": 0.1, "eager_seconds": None},
        call_seconds=[2.1, 0.1, 0.3, 1.2, 0.2, 0.2], call_compiles=[1, 1, 1, 2, 2, 2],
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    run = loaded(log, tmp_path / "short")
    measured = measurement(run)
    assert measured.error is None
    assert measured.compiles == 2
    assert measured.each == (None, 0.1, 0.3, None, 0.2, 0.2)
    assert measured.total == pytest.approx(4.1)
    forward = replace(found.function, process=run.processes[0])
    by_kind = {plan.kind: plan for plan in found.plans}
    assert json.loads(setting(by_kind["as_is"], forward))["how"] == "none"
    assert json.loads(setting(by_kind["one_length"], forward))["calls"] is True
    assert json.loads(setting(by_kind["one_length"], found.function))["calls"] is False


def place(found: FunctionPlans, kind: str) -> int:
    """Return the place of the best plan of a kind."""
    return next(at for at, plan in enumerate(found.plans) if plan.kind == kind)


def short_run(
    compiling: float, step: float, compiles: int = 1, first: float | None = None
) -> Measurement:
    """Return a run of 60 steps; its first one compiles, and the others take alike."""
    each, whole = (None, *[step] * 59), compiling + 59 * step
    return Measurement(compiles, compiling, each, whole, first or compiling / compiles)


def test_what_was_measured_replaces_what_was_reckoned(found: FunctionPlans) -> None:
    now, other = place(found, "as_is"), place(found, "mark_dynamic")
    untried = found.plans[place(found, "one_length")]
    # The machine takes twice as long for everything as it did.
    as_is = found.plans[now]
    first = 2 * as_is.first.likely
    twice = short_run(2 * as_is.compile_seconds.likely, 2 * as_is.step.likely, 4, first)
    again = with_measured(found, {now: [twice] * 3, other: [short_run(3.0, 0.001)] * 3})
    assert again.plans[0].kind == "mark_dynamic"
    assert again.plans[0].was_tried
    assert again.plans[0].is_measured
    assert again.plans[0].total.likely == pytest.approx(3.0 + 1000 * 0.001)
    scaled = next(plan for plan in again.plans if plan.kind == "one_length")
    assert scaled.step.likely == pytest.approx(2 * untried.step.likely)
    assert any(note.startswith("mark_dynamic: 60 steps took 3.1 s; ") for note in notes(again))
    # What a step for any size takes was measured.
    same = next(plan for plan in again.plans if plan.kind == "dynamic")
    assert same.step.likely == pytest.approx(0.001)
    assert not same.was_tried
    # Other plans are told at the pace of the machine as it is now.
    reckoned = next(tried.plan for tried in again.tried if tried.plan.kind == "mark_dynamic")
    assert reckoned.step.likely == pytest.approx(2 * found.plans[other].step.likely)
    assert reckoned.compile_seconds.likely == pytest.approx(
        2 * found.plans[other].compile_seconds.likely
    )


def test_the_first_compile_has_a_pace_of_its_own(found: FunctionPlans) -> None:
    now, other = place(found, "as_is"), place(found, "one_length")
    as_is, one = found.plans[now], found.plans[other]
    assert one.first == one.compile_seconds
    # The first compile found its imports in memory; the later ones were held up.
    first, later = as_is.first.likely, as_is.compile_seconds.likely - as_is.first.likely
    measured = short_run(0.5 * first + 3 * later, as_is.step.likely, as_is.compiles, 0.5 * first)
    again = with_measured(found, {now: [measured] * 3})
    plan = again.of_kind("one_length")
    assert plan is not None
    assert plan.compile_seconds.likely == pytest.approx(0.5 * one.compile_seconds.likely)
    assert again.tried[0].plan.compile_seconds.likely == pytest.approx(measured.compile_seconds)


def test_a_round_in_which_all_took_longer_moves_no_plan(found: FunctionPlans) -> None:
    now, other = place(found, "as_is"), place(found, "mark_dynamic")
    rounds = (1.0, 3.0, 1.1)
    again = with_measured(
        found,
        {
            now: [short_run(6 * load, 0.05 * load, 4) for load in rounds],
            other: [short_run(3 * load, 0.04 * load) for load in rounds],
        },
    )
    as_is, marked = again.as_is, again.of_kind("mark_dynamic")
    assert as_is is not None
    assert marked is not None
    assert marked.step.likely == pytest.approx(0.8 * as_is.step.likely)
    assert again.noise.step == pytest.approx(LEAST_NOISE)
    assert marked.rank < as_is.rank


def test_plans_that_differ_by_less_than_their_rounds_do_share_a_rank(found: FunctionPlans) -> None:
    now, other = place(found, "as_is"), place(found, "mark_dynamic")
    again = with_measured(
        found,
        {
            now: [short_run(6.0, 0.05, 4)] * 3,
            # Less in two rounds of three, by less than they differ.
            other: [short_run(6.0, step, 4) for step in (0.046, 0.049, 0.054)],
        },
    )
    assert again.noise.step > 0.1
    as_is, marked = again.as_is, again.of_kind("mark_dynamic")
    assert as_is is not None
    assert marked is not None
    assert marked.rank == as_is.rank == 1
    assert again.best is as_is
    assert any(note.startswith("Plans of one rank (#) are not told apart") for note in notes(again))


def test_a_step_that_was_held_up_in_one_round_counts_for_little(found: FunctionPlans) -> None:
    now, other = place(found, "as_is"), place(found, "mark_dynamic")
    plain = short_run(3.0, 0.05)
    held_up = replace(plain, each=(None, 4.0, *plain.each[2:]))
    again = with_measured(
        found, {now: [short_run(6.0, 0.05, 4)] * 3, other: [plain, held_up, plain]}
    )
    marked = again.of_kind("mark_dynamic")
    assert marked is not None
    assert marked.step.likely == pytest.approx(0.05, rel=0.01)
    assert again.noise.step < 0.05


def test_a_plan_that_failed_says_why(found: FunctionPlans) -> None:
    again = with_measured(found, {0: [Measurement(error="RuntimeError: sizes")]})
    assert [plan.total for plan in again.plans] == [plan.total for plan in found.plans]
    assert any("could not be measured: RuntimeError: sizes" in note for note in notes(again))
