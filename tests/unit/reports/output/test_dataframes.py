"""A run as DataFrames, and `ca export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import ca_reports
from ca_reports.output import dataframes as frames
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.gates.made import recapturing, with_internal_recompile

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


@pytest.fixture
def run(log: Path) -> Run:
    return ca_reports.load([log])


def test_every_table_has_its_rows(run: Run) -> None:
    tables = frames.tables(run)
    assert list(tables) == [
        "captures",
        "misses",
        "backwards",
        "compiles",
        "graph_breaks",
        "findings",
    ]
    assert len(tables["captures"]) == 3
    assert len(tables["backwards"]) == 10
    assert len(tables["compiles"]) == len(run.compiles)
    assert int(tables["compiles"]["recompile"].sum()) == 2


def test_a_recompile_is_what_every_output_calls_one(tmp_path: Path) -> None:
    log = recapturing([])
    with_internal_recompile(log)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])

    assert run.recompiles == ()
    assert not frames.compiles(run)["recompile"].any()


def test_values_and_units(run: Run) -> None:
    captures = frames.captures(run).set_index("capture")
    assert captures.loc[1, "node_name"] == "PowBackward0"
    assert captures.loc[1, "seconds"] == pytest.approx(0.25 + 1.0)
    assert captures.loc[0, "time"] == pd.Timestamp(START + 1, unit="s", tz="UTC")
    assert captures.loc[0, "line"] == 11
    assert captures["rank"].isna().all()
    assert captures["fx_nodes"].tolist() == [9, 9, 9]
    misses = frames.misses(run)
    assert misses[["capture", "attribute", "before", "after"]].values.tolist() == [
        [1, "exponent", "2", "3"],
        [2, "sizes[0]", "10", "100"],
        [2, "sizes[1]", "10", "100"],
    ]
    backwards = frames.backwards(run)
    assert backwards["miss"].sum() == 3
    assert (backwards["seconds"] == 0.25).all()
    joined = backwards.merge(frames.captures(run), on=["process", "capture"])
    assert joined.groupby("capture").size().to_dict() == {0: 4, 1: 3, 2: 3}


def test_types_do_not_depend_on_what_a_log_has(run: Run, tmp_path: Path) -> None:
    stock = LogWriter()
    stock.torch_capture(0)
    empty = frames.tables(ca_reports.load([stock.write(tmp_path / "stock.log")]))
    for name, full in frames.tables(run).items():
        assert full.dtypes.to_dict() == empty[name].dtypes.to_dict(), name


def test_times_that_no_clock_shows_are_missing(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, time=1e300)
    captures = frames.captures(ca_reports.load([log.write(tmp_path / "x.log")]))
    assert captures["time"].isna().all()
