"""A start beside the one before it of the same command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.costs import earlier
from ca_reports.program.files import SourceFiles
from tests.unit.reports.costs.caches.made import PARTS, start_of
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from ca_reports.costs.caches.starts import Start

OTHER = {**PARTS, "cpp_runtime_thread_count": "1"}


def compared(folder: Path) -> Start:
    run = ca_reports.load([folder], cache_keys=True)
    return earlier.start_of(run, SourceFiles([]))


def record(runs: Path, *, state: str = "miss") -> Path:
    run_folder(runs / "monday", start_of(), command=["python", "train.py"], start=1.0, end=2.0)
    return run_folder(
        runs / "tuesday", start_of(OTHER, state=state), command=["python", "train.py"], start=2.0
    )


def test_the_run_before_says_why(tmp_path: Path) -> None:
    start = compared(record(tmp_path))
    assert [run.paths for run in start.earlier] == [(str(tmp_path / "monday"),)]
    assert [one.differing.name for one in start.causes[0].differs] == ["cpp_runtime_thread_count"]


def test_a_warm_start_reads_no_other(tmp_path: Path) -> None:
    assert compared(record(tmp_path, state="hit")).earlier == ()


def test_a_large_one_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_QUICKLY_READ", 10)
    assert compared(record(tmp_path)).earlier == ()


def test_one_that_holds_nothing_is_no_reason_to_fail(tmp_path: Path) -> None:
    later = record(tmp_path)
    for trace in (tmp_path / "monday").rglob("*.log"):
        trace.unlink()
    start = compared(later)
    assert start.causes == ()
