"""The rule on CUDA graphs, on records as torch 2.13.0 writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

STACK = [("/home/user/train.py", 20, "main", "loss = compiled(words).sum()")]


def findings(log: LogWriter, folder: Path) -> list[Finding]:
    run = ca_reports.load([log.write(folder / "trace.log")])
    assert not run.damage
    return [found for found in analyze(run).diagnosis.findings if found.code == "CA901"]


def test_each_graph_once_is_what_is_wanted(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0, STACK)
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("!0/1/0", 3.0, 0.5, is_backward=True)
    assert findings(log, tmp_path) == []


def test_recordings_beyond_the_first_are_lost_time(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0, STACK)
    for number in range(4):
        log.cuda_graph_recorded("0/0", 2.0 + number, 0.5)
    (found,) = findings(log, tmp_path)
    assert found.count == 3
    assert found.seconds == pytest.approx(1.5)
    assert found.compile_ids == ("0/0",)
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/user/train.py", 7)
    assert "cudagraph_skip_dynamic_graphs" in found.fix
    assert found.confidence == "medium"
    assert found.evidence[0].text == "0/0: recording 2, 0.50 s"


def test_twice_may_be_two_ways_to_reach_it(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("0/0", 3.0, 0.25)
    (found,) = findings(log, tmp_path)
    assert (found.count, found.confidence) == (1, "low")
    assert found.location is None


def test_a_recording_without_its_begin_or_its_graph_is_none(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("None", 3.0, 0.5)
    event = {"name": "CUDAGraphNode.record", "ts": START * 1e6, "ph": "E", "args": []}
    log.record("chromium_event", {}, json.dumps(event))
    log.record("chromium_event", {}, json.dumps({**event, "ts": "soon"}))
    assert findings(log, tmp_path) == []
