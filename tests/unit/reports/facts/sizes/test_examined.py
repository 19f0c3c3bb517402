"""All that `ca sizes` says of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.sizes.examined import examine
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import automatic, counted
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_that_counted_no_sizes_is_told_apart(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_end(START + 9, 0, 0)
    found = examine(loaded(log, tmp_path))
    assert not found.is_counted
    assert examine(loaded(automatic({8: 1, 9: 2}), tmp_path)).is_counted


def test_batch_sizes_are_looked_at_alone(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    counted(
        log, "0/0", inputs={"tokens": ["s0", "s1"]}, symbols=["s0", "s1"],
        sizes=[[1, 7], [4, 7], [4, 9]], calls=[5, 2, 3], steps=[None] * 3,
        seconds=[0.01, 0.02, 0.03],
    )  # fmt: skip
    log.ca_end(START + 9, 0, 0)
    run = loaded(log, tmp_path)
    (one,) = examine(run).functions
    assert len(one.function.arguments) == 2
    (batches,) = examine(run, batch_sizes=True).functions
    assert batches.function.arguments == ((("tokens", 0),),)
    assert batches.function.histogram(0) == {1: 5, 4: 5}
