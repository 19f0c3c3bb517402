"""A run in time, as the page draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine import schema
from ca_reports.output.timeline import MAX_BACKWARDS, background_spans, timeline
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports import lowerings

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


def test_what_is_compiled_in_the_background_is_drawn_beside_the_steps(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.own(schema.BACKGROUND_RECORD, graph="0/0", state="compiling", time=START + 2)
    log.own(schema.BACKGROUND_RECORD, graph="1/0", state="compiling", time=START + 3)
    log.own(schema.BACKGROUND_RECORD, graph="2/0", state="refused", time=START + 3, waited=0.0)
    log.own(schema.BACKGROUND_RECORD, graph="0/0", state="ready", time=START + 12, waited=10.0)
    log.ca_capture(0)
    log.own(schema.LOWERING_RECORD, **{"capture": 0, "time": START + 5, **lowerings.MISS})
    failed = {**lowerings.READY, "state": "failed", "waited": 20.0}
    later = {**lowerings.LOWERED, "time": START + 25, "background": failed}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **later})
    log.own(schema.BACKGROUND_RECORD, graph="3/0", state="waited", time=START + 33, waited=1.0)
    (process,) = loaded(log, tmp_path).processes
    assert [
        (span.start - START, span.seconds, span.label, span.target)
        for span in background_spans(process)
    ] == [
        (2, 10, "0/0", ""),
        (3, 30, "1/0 (not done)", ""),
        (32, 1, "3/0 (waited)", ""),
        (5, 20, "!0 (failed)", "capture-0-0"),
    ]
    found = timeline(loaded(log, tmp_path))
    assert found is not None
    rows = [span["row"] for span in found.head["lanes"][0]["spans"]]
    assert rows == ["capture", *["background"] * 4]


def test_a_log_without_times_has_no_timeline(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    assert timeline(loaded(log, tmp_path)) is None
