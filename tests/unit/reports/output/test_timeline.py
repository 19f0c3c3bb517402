"""A run in time, as the page draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.output.timeline import MAX_BACKWARDS, timeline
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

from tests.unit.reports.written import loaded


def test_a_timeline_thins_hits_out_and_never_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ca_reports.output.timeline.MAX_BACKWARDS", 100)
    log = LogWriter()
    log.ca_run()
    log.ca_backwards([(0, int(row % 37 == 5)) for row in range(1_000)])
    found = timeline(loaded(log, tmp_path))
    assert found is not None
    lane = found.head["lanes"][0]
    assert sum(lane["weight"]) == 27
    assert found.left_out == 1_000 - len(lane["start"])
    assert len(lane["start"]) <= 100 + 27
    assert MAX_BACKWARDS >= 100_000


def test_a_log_without_times_has_no_timeline(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    assert timeline(loaded(log, tmp_path)) is None
