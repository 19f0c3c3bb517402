"""Plans: what each compiles, pads and takes in all."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.costs import Costs
from ca_reports.facts.sizes.costs import LOWERED, Noise, Range
from ca_reports.facts.sizes.histogram import sized_functions
from ca_reports.facts.sizes.plans import FunctionPlans, Plan, function_plans, ranked
from ca_reports.sentences.sizes import notes
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import (
    a_step,
    automatic,
    counted,
    dynamic,
    each_by_itself,
    training,
)
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.facts.sizes.plans import PlanKind

SIZES = {16: 40, 24: 30, 30: 10, 120: 5, 128: 15}


def plans_of(log: LogWriter, folder: Path, steps: int | None = None) -> FunctionPlans:
    run = loaded(log, folder)
    (function,) = sized_functions(run)
    return function_plans(function, Costs(run), steps)


def test_each_plan_is_reckoned_from_what_was_measured(tmp_path: Path) -> None:
    log = each_by_itself(SIZES, seconds=3.0)
    dynamic(log, "0/5", {20: 4, 60: 4}, slower=1.2)
    log.compiled("0/5", 5.0)
    found = plans_of(log, tmp_path, steps=1000)
    one = found.of_kind("one_length")
    assert one is not None
    assert (one.sizes, one.compiles) == (((128,),), 1)
    assert one.total.likely == pytest.approx(3.0 + 1000 * a_step(128), rel=0.01)
    assert one.is_measured
    every = {**SIZES, 20: 4, 60: 4}
    given = sum(size * calls for size, calls in every.items())
    assert one.padding == pytest.approx(1 - given / (128 * sum(every.values())))
    marked = found.of_kind("mark_dynamic")
    assert marked is not None
    mean = sum(a_step(size) * calls for size, calls in every.items()) / sum(every.values())
    assert marked.step.likely == pytest.approx(1.2 * mean, rel=0.01)
    assert marked.total.likely == pytest.approx(5.0 + 1000 * 1.2 * mean, rel=0.01)


def test_the_best_number_of_buckets_depends_on_the_steps(tmp_path: Path) -> None:
    log = each_by_itself(SIZES, seconds=3.0)
    few = plans_of(log, tmp_path, steps=50).best
    many = plans_of(log, tmp_path, steps=100_000).best
    assert few is not None
    assert many is not None
    assert few.compiles == 1
    assert many.kind in ("buckets", "as_is")
    assert many.compiles == len(SIZES)


def test_plans_come_best_first_and_equal_ones_by_what_they_change(tmp_path: Path) -> None:
    found = plans_of(automatic(SIZES), tmp_path, steps=10_000)
    totals = [plan.total.likely for plan in found.plans]
    assert all(one <= two * 1.006 for one, two in pairwise(totals))
    kinds = [plan.kind for plan in found.plans]
    assert kinds.index("mark_dynamic") < kinds.index("dynamic")


def a_plan(kind: PlanKind, total: Range, *sizes: int) -> Plan:
    """Return a plan whose steps take all of its time."""
    return Plan(kind, tuple((size,) for size in sizes), 1, Range.exactly(0.0), 0.0, total, total)


def test_plans_that_are_not_told_apart_share_a_rank() -> None:
    plans = [
        a_plan("buckets", Range.exactly(98.0), 8, 16),
        a_plan("as_is", Range.exactly(100.0)),
        a_plan("mark_dynamic", Range(95.0, 115.0, 150.0)),  # not known, as it was not measured
        a_plan("one_length", Range.exactly(110.0), 16),
        a_plan("multiples", Range.exactly(112.0), 8, 16, 24),
    ]
    found = ranked(plans, Noise(step=0.05), 1)
    # What pads comes last of a rank.
    assert [(plan.kind, plan.rank) for plan in found] == [
        ("as_is", 1), ("mark_dynamic", 1), ("buckets", 1), ("one_length", 4), ("multiples", 4),
    ]  # fmt: skip
    exact = ranked([plan for plan in plans if plan.total.is_exact], Noise(step=0.001), 1)
    assert [plan.rank for plan in exact] == [1, 2, 3, 4]
    # Not known to be better than what is done now, however likely that is.
    marked, now = a_plan("mark_dynamic", Range(90.0, 95.0, 105.0)), plans[1]
    tied = ranked([now, marked, a_plan("buckets", Range.exactly(94.0), 8)], Noise(0.01), 1)
    assert [(plan.kind, plan.rank) for plan in tied] == [
        ("mark_dynamic", 1), ("as_is", 1), ("buckets", 1),
    ]  # fmt: skip


def test_sizes_of_one_need_a_graph_of_their_own_unless_they_are_unbacked(tmp_path: Path) -> None:
    found = plans_of(automatic({1: 5, **SIZES}), tmp_path)
    compiles = {plan.kind: plan.compiles for plan in found.plans}
    assert compiles["mark_dynamic"] == 2
    assert compiles["mark_unbacked"] == 1
    assert plans_of(automatic(SIZES), tmp_path).of_kind("mark_unbacked") is None


def test_two_dimensions_of_one_have_a_graph_for_each_way_to_be_one(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    sizes = [[1, 1], [1, 30], [8, 1], [8, 30], [4, 50]]
    counted(
        log, "0/0", inputs={"ids": ["s0", "s1"]}, symbols=["s0", "s1"], sizes=sizes,
        calls=[5] * 5, steps=[0.1] * 5, seconds=[0.1] * 5,
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    compiles = {plan.kind: plan.compiles for plan in plans_of(log, tmp_path).plans}
    assert compiles["mark_dynamic"] == compiles["dynamic"] == 4
    assert compiles["mark_unbacked"] == 1


def test_more_steps_meet_more_sizes_only_up_to_the_limit(tmp_path: Path) -> None:
    log = each_by_itself(dict.fromkeys(range(10, 17), 2))
    now = plans_of(log, tmp_path).as_is
    later = plans_of(log, tmp_path, steps=10**6).as_is
    assert now is not None
    assert later is not None
    assert now.compiles == later.compiles == 7


def test_multiples_name_the_sizes_that_come(tmp_path: Path) -> None:
    found = plans_of(each_by_itself({3: 5, 9: 5, 17: 5, 30: 5, 31: 5}), tmp_path)
    (eights,) = [plan for plan in found.plans if plan.kind == "multiples"]
    assert eights.multiple == 8
    assert eights.sizes == ((8,), (16,), (24,), (32,))


def test_two_sizes_at_once_are_padded_to_boxes(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    sizes = [[64, 128], [66, 120], [128, 64], [120, 66]]
    steps = [0.001 * high * wide for high, wide in sizes]
    counted(
        log, "0/0", inputs={"image": [1, 3, "s0", "s1"]}, symbols=["s0", "s1"], sizes=sizes,
        calls=[10, 10, 10, 10], steps=steps, seconds=steps,
    )  # fmt: skip
    training(log)
    log.ca_end(START + 9, 0, 0)
    found = plans_of(log, tmp_path)
    two = next(plan for plan in found.plans if plan.kind == "buckets" and plan.compiles == 2)
    assert two.sizes == ((66, 128), (128, 66))
    one = found.of_kind("one_length")
    assert one is not None
    assert one.sizes == ((128, 128),)


def test_without_times_nothing_is_reckoned(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", None)
    dynamic(log, "0/0", SIZES)
    log.ca_end(START + 9, 0, 0)
    assert plans_of(log, tmp_path).plans == ()


def test_past_the_recompile_limit_sizes_are_missing_and_nothing_is_reckoned(tmp_path: Path) -> None:
    log = each_by_itself(SIZES)
    log.compiled(
        "0/5", None, fail_reason="Dynamo recompile limit exceeded: config.recompile_limit=5",
        fail_type="torch._dynamo.exc.FailOnRecompileLimitHit",
    )  # fmt: skip
    found = plans_of(log, tmp_path)
    assert found.function.misses_calls
    assert found.plans == ()
    (note,) = notes(found)
    assert "recompile_limit" in note


def test_calls_past_the_recompile_limit_are_in_the_histogram_and_cost_what_python_takes(
    tmp_path: Path,
) -> None:
    log = each_by_itself(SIZES)
    log.compiled(
        "0/5", None, fail_reason="Dynamo recompile limit exceeded: config.recompile_limit=5",
        fail_type="torch._dynamo.exc.FailOnRecompileLimitHit",
    )  # fmt: skip
    eager = {40: 60, 200: 40}
    counted(
        log, "0/eager", inputs={"ids": ["d0", "d1"], "mask": ["d2", "d3"]},
        symbols=["d0", "d1", "d2", "d3"], sizes=[[8, size, 8, size] for size in eager],
        calls=list(eager.values()), steps=[3 * a_step(size) for size in eager],
        seconds=[None, None],
    )  # fmt: skip
    found = plans_of(log, tmp_path)
    assert found.function.eager_calls == 100
    assert found.function.histogram(0) == dict(sorted({**SIZES, **eager}.items()))
    now, one = found.as_is, found.of_kind("one_length")
    assert now is not None
    assert one is not None
    assert one.sizes == ((200,),)
    compiled = sum(a_step(size) * calls for size, calls in SIZES.items())
    python = sum(3 * a_step(size) * calls for size, calls in eager.items())
    assert now.step.likely == pytest.approx((compiled + python) / 200, rel=0.02)
    assert any(note.startswith("100 calls ran uncompiled") for note in notes(found))


def captured(folder: Path, others: int = 0, **more: object) -> FunctionPlans:
    """The plans of a run whose backwards were captured, and some for others."""
    log = each_by_itself(SIZES, seconds=3.0)
    for number in range(len(SIZES) + others):
        seconds = {"capture": 0.5, "compile": 1.5, "snapshot": 0.0}
        log.ca_capture(number, kind="changed_shapes" if number else "first", seconds=seconds)
        log.compiled(f"!{number}/{number + 1}/0", 1.5, stack=[])
        if more:
            log.own("ca_lowering", capture=number, **more)
    return plans_of(log, folder, steps=1000)


def test_with_lowering_each_size_costs_less_where_backwards_are_captured(tmp_path: Path) -> None:
    found = captured(tmp_path)
    plan, now = found.of_kind("lowered"), found.as_is
    assert plan is not None
    assert now is not None
    spared = LOWERED.times(1.5 * len(SIZES))
    assert now.compile_seconds.likely == pytest.approx(len(SIZES) * (3.0 + 2.0))
    assert now.compile_seconds.likely - plan.compile_seconds.likely == pytest.approx(spared.likely)
    assert plan.compile_seconds.low < plan.compile_seconds.likely < plan.compile_seconds.high
    assert not plan.is_measured
    assert plan.compiles == len(SIZES)


def test_captures_that_sizes_did_not_make_are_in_no_plan(tmp_path: Path) -> None:
    more = captured(tmp_path / "more", others=7).as_is
    none = captured(tmp_path / "none").as_is
    assert more is not None
    assert none is not None
    assert more.compile_seconds == none.compile_seconds


def test_a_run_with_lowering_has_it_already(tmp_path: Path) -> None:
    lowered = captured(tmp_path, way="l2", backend="aot_eager", seconds=0.25, reason=None)
    assert lowered.of_kind("lowered") is None
    assert plans_of(each_by_itself(SIZES), tmp_path / "forward").of_kind("lowered") is None
