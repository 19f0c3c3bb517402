"""Plans that short runs tried."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.sizes.examined import examine
from ca_reports.facts.sizes.measured import chosen, fastest, measurement, setting, with_measured
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
    assert (measured.steps, measured.compiles) == (4, 2)
    assert measured.step_seconds == pytest.approx(0.5)
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
    assert (measured.steps, measured.compiles) == (6, 2)
    assert measured.step_seconds == pytest.approx(0.2)
    assert measured.total == pytest.approx(4.1)
    forward = replace(found.function, process=run.processes[0])
    by_kind = {plan.kind: plan for plan in found.plans}
    assert json.loads(setting(by_kind["as_is"], forward))["how"] == "none"
    assert json.loads(setting(by_kind["one_length"], forward))["calls"] is True
    assert json.loads(setting(by_kind["one_length"], found.function))["calls"] is False


def test_of_several_runs_the_least_of_each_time_counts() -> None:
    slow, failed = Measurement(60, 2, 3.0, 0.02, 5.0), Measurement(error="boom")
    assert fastest([slow, Measurement(60, 2, 2.0, 0.03, 4.0)]) == Measurement(60, 2, 2.0, 0.02, 4.0)
    assert fastest([slow, failed]) == slow
    assert fastest([failed]) == failed


def test_what_was_measured_replaces_what_was_reckoned(found: FunctionPlans) -> None:
    now = next(at for at, plan in enumerate(found.plans) if plan.kind == "as_is")
    other = next(at for at, plan in enumerate(found.plans) if plan.kind == "mark_dynamic")
    untried = next(plan for plan in found.plans if plan.kind == "one_length")
    # The machine takes twice as long for everything as it did.
    as_is = found.plans[now]
    twice = Measurement(60, 4, 2 * as_is.compile_seconds.likely, 2 * as_is.step.likely, 1.0)
    again = with_measured(found, {now: twice, other: Measurement(60, 1, 3.0, 0.001, 3.1)})
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
    reckoned = next(plan for plan, _ in again.tried if plan.kind == "mark_dynamic")
    assert reckoned.step.likely == pytest.approx(2 * found.plans[other].step.likely)


def test_what_two_runs_of_one_program_differ_by_is_no_other_machine(found: FunctionPlans) -> None:
    now = next(at for at, plan in enumerate(found.plans) if plan.kind == "as_is")
    as_is = found.plans[now]
    near = Measurement(60, 4, 1.2 * as_is.compile_seconds.likely, 0.8 * as_is.step.likely, 1.0)
    again = with_measured(found, {now: near})
    untried = [plan for plan in again.plans if plan.kind != "as_is"]
    assert {plan.total for plan in untried} <= {plan.total for plan in found.plans}


def test_a_plan_that_failed_says_why(found: FunctionPlans) -> None:
    again = with_measured(found, {0: Measurement(error="RuntimeError: sizes")})
    assert [plan.total for plan in again.plans] == [plan.total for plan in found.plans]
    assert any("could not be measured: RuntimeError: sizes" in note for note in notes(again))
