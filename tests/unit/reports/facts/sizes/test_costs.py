"""What steps and compiles cost by size."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.costs import Costs
from ca_reports.facts.sizes.costs import (
    DYNAMIC_BACKEND,
    DYNAMIC_STEP,
    MORE_AT_FIRST,
    Range,
    compile_costs,
    elements_of,
    fit,
    step_costs,
)
from ca_reports.facts.sizes.histogram import sized_functions
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import (
    CODE,
    STATIC,
    a_step,
    automatic,
    dynamic,
    each_by_itself,
    static,
    training,
)
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "coefficients", [(0.02, 0.0, 0.0), (0.01, 0.001, 0.0), (0.0, 0.002, 1e-5), (0.05, 0.0, 1e-6)]
)
def test_a_fit_finds_what_the_times_were_made_of(coefficients: tuple[float, ...]) -> None:
    constant, linear, square = coefficients
    sizes = [8, 16, 50, 100, 300]
    found = fit([((e,), constant + linear * e + square * e * e, 4.0) for e in sizes])
    assert found is not None
    assert found.points == len(sizes)
    for size in (8, 64, 400):
        expected = constant + linear * size + square * size * size
        assert found.seconds((size,)) == pytest.approx(expected, rel=0.02)


def test_a_fit_never_falls_with_the_size() -> None:
    found = fit([((8,), 0.3, 1.0), ((16,), 0.2, 1.0), ((64,), 0.1, 1.0)])
    assert found is not None
    assert min(factor for _, factor in found.terms) >= 0
    assert found.seconds((64,)) >= found.seconds((8,))


def test_without_times_there_is_no_fit() -> None:
    assert fit([]) is None
    one = fit([((8,), 0.3, 1.0)])
    assert one is not None
    assert one.seconds((8,)) == pytest.approx(0.3)


def test_a_time_that_is_far_off_does_not_bend_a_fit() -> None:
    # One step in four ran in a thirtieth of the time, or was held up.
    sizes = {40: 0.0008, 60: 0.026, 96: 0.027, 128: 0.026, 200: 0.031, 256: 0.9}
    found = fit([((size,), seconds, 4.0) for size, seconds in sizes.items()])
    assert found is not None
    assert found.seconds((1,)) == pytest.approx(0.026, rel=0.2)
    assert found.seconds((128,)) == pytest.approx(0.027, rel=0.2)


def test_nodes_and_edges_have_a_term_each() -> None:
    sets = [(n, e) for n in (400, 800, 1600) for e in (2000, 5000, 12000)]
    found = fit([((n, e), 0.001 + 1e-6 * n + 3e-6 * e, 1.0) for n, e in sets])
    assert found is not None
    assert found.seconds((1000, 8000)) == pytest.approx(0.026, rel=0.02)
    assert found.noise < 0.01


def test_noise_is_what_times_lie_off_a_fit_and_less_of_a_mean_of_many_sizes(
    tmp_path: Path,
) -> None:
    numbers = random.Random(0)
    times = {size: a_step(size) * numbers.choice([0.8, 1.2]) for size in range(16, 416, 4)}
    found = fit([((size,), seconds, 1.0) for size, seconds in times.items()])
    assert found is not None
    assert 0.15 < found.noise < 0.45
    log = each_by_itself({})
    for number, (size, seconds) in enumerate(times.items()):
        static(log, f"0/{number}", size, 1, step=seconds)
    (function,) = sized_functions(loaded(log, tmp_path))
    costs = step_costs(function)
    assert costs is not None
    assert costs.noise < found.noise / 5


def test_a_run_that_saw_both_kinds_of_graphs_compares_them(tmp_path: Path) -> None:
    log = each_by_itself({16: 9, 32: 9, 64: 9})
    dynamic(log, "0/3", {24: 5, 48: 5}, slower=1.25)
    (function,) = sized_functions(loaded(log, tmp_path))
    found = step_costs(function)
    assert found is not None
    assert found.is_compared
    assert found.slower.is_exact
    assert found.slower.likely == pytest.approx(1.25)
    assert found.of_static((64,)).likely == pytest.approx(a_step(64))
    assert found.of_dynamic((64,)).likely == pytest.approx(1.25 * a_step(64))


def test_steps_of_another_size_are_no_comparison_of_graphs(tmp_path: Path) -> None:
    for size, is_compared in ((8, False), (24, True)):
        log = each_by_itself({24: 9})
        dynamic(log, "0/3", {size: 5}, slower=1.25)
        if size == 24:
            dynamic(log, "0/4", {8: 1}, slower=1.25)
        (function,) = sized_functions(loaded(log, tmp_path / str(size)))
        found = step_costs(function)
        assert found is not None
        assert found.is_compared is is_compared


def test_what_a_run_did_not_show_is_a_range(tmp_path: Path) -> None:
    (function,) = sized_functions(loaded(each_by_itself({16: 9, 32: 9, 64: 9}), tmp_path))
    found = step_costs(function)
    assert found is not None
    assert not found.is_compared
    assert found.of_static((64,)).is_exact
    low, likely, high = found.of_dynamic((64,))
    assert low == pytest.approx(DYNAMIC_STEP.low * a_step(64))
    assert high == pytest.approx(DYNAMIC_STEP.high * a_step(64))
    assert likely == pytest.approx(DYNAMIC_STEP.likely * a_step(64))


def test_a_first_compile_is_not_taken_for_every_one(tmp_path: Path) -> None:
    run = loaded(automatic({32: 3, 48: 5, 64: 2}, seconds=2.0), tmp_path)
    (function,) = sized_functions(run)
    found = compile_costs(function, Costs(run))
    assert found is not None
    assert found.dynamic == Range.exactly(2.0)
    assert not found.static.is_exact
    assert found.static.low <= found.static.likely <= found.static.high
    assert found.first_static == Range.exactly(3.0)
    assert found.static.high < 3.0
    assert found.of_static(3).likely == pytest.approx(3.0 + 2 * found.static.likely)
    assert (found.now, found.number) == (5.0, 2)


def test_the_first_compile_for_any_size_does_what_a_static_one_would_have_done(
    tmp_path: Path,
) -> None:
    run = loaded(each_by_itself({16: 9, 32: 9, 64: 9}, seconds=2.0), tmp_path)
    (function,) = sized_functions(run)
    found = compile_costs(function, Costs(run))
    assert found is not None
    # What is done once in a process is the same for any size.
    more = MORE_AT_FIRST.likely * found.static.likely
    assert found.first_dynamic.likely == pytest.approx(found.first_static.likely + more)
    assert found.of_dynamic(1).likely == pytest.approx(found.first_dynamic.likely + 2.0)
    assert found.dynamic.low > found.static.high


def test_kernels_take_about_as_long_to_compile_for_any_size(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for number, size in enumerate((16, 32)):
        log.compiled(
            f"0/{number}", 10.0, stack=CODE, dynamo_config=STATIC,
            recompile_reason="size" if number else None, backend_compile_time_s=9.0,
            inductor_cumulative_compile_time_us=9_000_000,
        )  # fmt: skip
        static(log, f"0/{number}", size, 5)
    training(log)
    log.ca_end(START + 9, 0, 0)
    run = loaded(log, tmp_path)
    (function,) = sized_functions(run)
    assert {one.phases["backend"] for one in function.compiles} == {9.0}
    found = compile_costs(function, Costs(run))
    assert found is not None
    expected = 1.0 * (1 + MORE_AT_FIRST.likely) + 9.0 * DYNAMIC_BACKEND.likely
    assert found.first_dynamic.likely == pytest.approx(expected)


def test_no_first_compile_is_shorter_than_a_later_one(tmp_path: Path) -> None:
    log = each_by_itself({16: 9, 32: 9}, seconds=2.0)
    log.compiled("0/2", 9.0, recompile_reason="size")
    dynamic(log, "0/2", {24: 5, 48: 5})
    run = loaded(log, tmp_path)
    (function,) = sized_functions(run)
    found = compile_costs(function, Costs(run))
    assert found is not None
    assert found.first_dynamic == Range.exactly(9.0)


def test_elements_are_a_product() -> None:
    assert elements_of((2, 3, 4)) == 24
    assert elements_of(()) == 1


def test_the_time_for_which_no_core_was_free_is_no_part_of_a_compile(tmp_path: Path) -> None:
    log = each_by_itself({16: 9, 32: 9, 64: 9}, seconds=2.0)
    for event, waited in (("0/0", 1.5), ("0/1", 0.5), ("0/1", 0.25), ("0/2", 0.75)):
        log.own("ca_core_waits", time=START + 2, event=event, waited=waited)
    run = loaded(log, tmp_path)
    assert run.processes[0].core_waits == {"0/0": 1.5, "0/1": 0.75, "0/2": 0.75}
    (function,) = sized_functions(run)
    found = compile_costs(function, Costs(run))
    assert found is not None
    assert found.first_static == Range.exactly(0.5)
    assert found.static == Range.exactly(1.25)


def test_a_broken_record_of_waits_is_damage(tmp_path: Path) -> None:
    log = each_by_itself({16: 9, 32: 9})
    log.own("ca_core_waits", time=START + 2, event="0/0", waited="long")
    run = loaded(log, tmp_path)
    assert run.processes[0].core_waits == {}
    assert run.damage


def test_a_capture_waited_for_a_core_by_itself_and_in_what_it_compiled(tmp_path: Path) -> None:
    log = each_by_itself({16: 4, 32: 4}, seconds=1.0)
    for number in range(2):
        seconds = {"capture": 5.0, "compile": 0.0, "snapshot": 0.0}
        log.ca_capture(number, kind="changed_shapes" if number else "first", seconds=seconds)
        log.compiled(f"!{number}/{number + 1}/0", 4.0, stack=[])
        for event, waited in ((f"!{number}", 4.5), (f"!{number}/{number + 1}/0", 3.0)):
            log.own("ca_core_waits", time=START + 2, event=event, waited=waited)
    run = loaded(log, tmp_path)
    (function,) = sized_functions(run)
    costs = Costs(run)
    found = compile_costs(function, costs)
    assert found is not None
    capture = costs.of_capture(run.processes[0].captures[0])
    assert capture is not None
    # A forward of one second, and what is left of its backward.
    assert found.first_static.likely == pytest.approx(1.0 + capture.seconds - 7.5)
