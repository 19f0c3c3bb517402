"""What steps and compiles cost by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.costs import Costs
from ca_reports.facts.sizes.costs import (
    DYNAMIC_STEP,
    Range,
    compile_costs,
    elements_of,
    fit,
    step_costs,
)
from ca_reports.facts.sizes.histogram import sized_functions
from tests.unit.reports.facts.sizes.made import a_step, automatic, dynamic, each_by_itself
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "coefficients", [(0.02, 0.0, 0.0), (0.01, 0.001, 0.0), (0.0, 0.002, 1e-5), (0.05, 0.0, 1e-6)]
)
def test_a_fit_finds_what_the_times_were_made_of(coefficients: tuple[float, ...]) -> None:
    constant, linear, square = coefficients
    sizes = [8, 16, 50, 100, 300]
    found = fit([(e, constant + linear * e + square * e * e, 4.0) for e in sizes])
    assert found is not None
    assert found.points == len(sizes)
    for size in (8, 64, 400):
        expected = constant + linear * size + square * size * size
        assert found.seconds(size) == pytest.approx(expected, rel=0.02)


def test_a_fit_never_falls_with_the_size() -> None:
    found = fit([(8.0, 0.3, 1.0), (16.0, 0.2, 1.0), (64.0, 0.1, 1.0)])
    assert found is not None
    assert min(found.coefficients) >= 0
    assert found.seconds(64) >= found.seconds(8)


def test_without_times_there_is_no_fit() -> None:
    assert fit([]) is None
    one = fit([(8.0, 0.3, 1.0)])
    assert one is not None
    assert one.seconds(8) == pytest.approx(0.3)


def test_a_run_that_saw_both_kinds_of_graphs_compares_them(tmp_path: Path) -> None:
    log = each_by_itself({16: 9, 32: 9, 64: 9})
    dynamic(log, "0/3", {24: 5, 48: 5}, slower=1.25)
    (function,) = sized_functions(loaded(log, tmp_path))
    found = step_costs(function)
    assert found is not None
    assert found.is_compared
    assert found.slower.is_exact
    assert found.slower.likely == pytest.approx(1.25)
    assert found.of_static(64).likely == pytest.approx(a_step(64))
    assert found.of_dynamic(64).likely == pytest.approx(1.25 * a_step(64))


def test_what_a_run_did_not_show_is_a_range(tmp_path: Path) -> None:
    (function,) = sized_functions(loaded(each_by_itself({16: 9, 32: 9, 64: 9}), tmp_path))
    found = step_costs(function)
    assert found is not None
    assert not found.is_compared
    assert found.of_static(64).is_exact
    low, likely, high = found.of_dynamic(64)
    assert low == pytest.approx(a_step(64))
    assert high == pytest.approx(1.3 * a_step(64))
    assert likely == pytest.approx(DYNAMIC_STEP.likely * a_step(64))


def test_a_first_compile_is_not_taken_for_every_one(tmp_path: Path) -> None:
    run = loaded(automatic({32: 3, 48: 5, 64: 2}, seconds=2.0), tmp_path)
    (function,) = sized_functions(run)
    found = compile_costs(function, Costs(run))
    assert found is not None
    assert found.dynamic == Range.exactly(2.0)
    assert not found.static.is_exact
    assert found.static.low <= found.static.likely <= found.static.high
    assert found.once == pytest.approx(3.0 - found.static.likely)
    assert (found.now, found.number) == (5.0, 2)


def test_elements_are_a_product() -> None:
    assert elements_of((2, 3, 4)) == 24
    assert elements_of(()) == 1
