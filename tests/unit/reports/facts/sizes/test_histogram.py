"""The sizes that functions were called with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.sizes.histogram import only_dimension, sized_functions
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import automatic, counted, dynamic, static
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_dimensions_of_one_size_are_one_argument(tmp_path: Path) -> None:
    (found,) = sized_functions(loaded(automatic({32: 3, 48: 5, 64: 2}), tmp_path))
    assert found.arguments == ((("ids", 1), ("mask", 1)),)
    assert found.histogram(0) == {32: 4, 48: 5, 64: 2}
    assert found.calls == 11
    assert found.static_graphs == {"0/0"}
    assert found.location is not None
    assert found.location.function == "step"
    assert {(row.values, row.way): row.calls for row in found.rows} == {
        ((32,), "static"): 1,
        ((32,), "dynamic"): 3,
        ((48,), "dynamic"): 5,
        ((64,), "dynamic"): 2,
    }


def test_the_parts_of_a_function_after_a_graph_break_are_one_function(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for code in (0, 1):
        log.compiled(f"{code}/0", 1.0)
        log.compiled(f"{code}/1", 1.0)
    dynamic(log, "0/1", {8: 2, 16: 3})
    counted(
        log, "1/1", inputs={"___stack0": ["s1", 8]}, symbols=["s1"], sizes=[[8], [16]],
        calls=[2, 3], steps=[None, None], seconds=[None, None],
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    (found,) = sized_functions(loaded(log, tmp_path))
    assert set(found.codes) == {"0", "1"}
    assert found.arguments == ((("ids", 1), ("mask", 1)),)
    assert len(found.compiles) == 4


def test_a_function_whose_sizes_never_vary_is_left_out(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    static(log, "0/0", 32, 500)
    log.ca_end(START + 9, 0, 0)
    assert not sized_functions(loaded(log, tmp_path))


def test_two_sizes_that_vary_apart_are_two_arguments(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    counted(
        log, "0/0", inputs={"image": [1, 3, "s0", "s1"]}, symbols=["s0", "s1"],
        sizes=[[64, 64], [64, 96], [96, 64]], calls=[1, 2, 3], steps=[0.1, 0.2, 0.2],
        seconds=[0.1, 0.2, 0.2],
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    (found,) = sized_functions(loaded(log, tmp_path))
    assert found.arguments == ((("image", 2),), (("image", 3),))
    assert found.counts == {(64, 64): 1, (64, 96): 2, (96, 64): 3}
    wide = only_dimension(found, 1)
    assert wide.arguments == ((("image", 3),),)
    assert wide.histogram(0) == {64: 4, 96: 2}
