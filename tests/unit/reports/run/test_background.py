"""``ca_background``: the last record of each graph counts; damage is no exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_the_last_record_of_a_graph_counts(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for graph in ("0/0", "1/0"):
        log.own(schema.BACKGROUND_RECORD, graph=graph, state="compiling", calls=0)
    log.own(schema.BACKGROUND_RECORD, graph="0/0", state="ready", calls=7, compile_seconds=2.5)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (process,) = run.processes
    first, second = process.background
    assert (first.graph, first.state, first.calls, first.compile_seconds) == (
        "0/0",
        "ready",
        7,
        2.5,
    )
    assert (second.graph, second.state) == ("1/0", "compiling")
    (told,) = json_output.document(analyze(run))["processes"]
    assert [each["state"] for each in told["background"]] == ["ready", "compiling"]


def test_damage_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.own(schema.BACKGROUND_RECORD, graph=3, state="ready")
    log.own(schema.BACKGROUND_RECORD, graph="0/0", state=["ready"], calls="7", waited=-1)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (graph,) = run.processes[0].background
    assert (graph.state, graph.calls, graph.waited) == (None, None, None)
    assert run.damage
