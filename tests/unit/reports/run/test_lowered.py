"""``ca_lowering``: read into its capture, told in words and in the JSON, damage included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.sentences.lowering import (
    lowering_lines,
    lowering_words,
)
from tests.unit.logwriter import LogWriter
from tests.unit.reports.lowerings import LOWERED, READY, REFUSED, SIZED, background_run, run_of

if TYPE_CHECKING:
    from pathlib import Path


def test_it_belongs_to_its_capture(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED)
    first, second = run.captures
    assert first.lowering is not None
    assert second.lowering is not None
    assert (first.lowering.is_lowered, second.lowering.is_lowered) == (True, False)
    # What lowering took is what the graph's compile took: Dynamo wrote nothing.
    assert first.seconds.compile == pytest.approx(0.001 + 0.25)
    assert second.seconds.compile == pytest.approx(0.001)


def test_the_json_has_the_record(tmp_path: Path) -> None:
    (capture,) = json_output.document(analyze(run_of(tmp_path, LOWERED)))["captures"]
    assert capture["lowering"] == {
        **LOWERED,
        **dict.fromkeys(("time", "cache_reason", "detail", "file", "line", "background")),
        "size_sets": 0,
    }


def lowered_capture(log: LogWriter, compile_id: str, **metrics: Any) -> None:
    """What a lowered graph leaves: the records of a compile, then ours."""
    log.compiled(compile_id, **metrics)
    capture = LogWriter.context(compile_id)["compiled_autograd_id"]
    log.own(schema.LOWERING_RECORD, **{"capture": capture, **LOWERED})


def test_its_compile_is_no_work_of_dynamos(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_capture(1, kind="changed_shapes")
    lowered_capture(log, "!0/0/0", seconds=0.25, backend_compile_time_s=0.15)
    lowered_capture(log, "!1/1/0", seconds=0.25, backend_compile_time_s=0.15)
    analysis = analyze(ca_reports.load([log.write(tmp_path / "trace.log")]))
    first, second = analysis.run.captures
    # Once: the record of lowering and the metrics of its compile tell of the same seconds.
    assert first.seconds.compile == pytest.approx(0.25)
    assert analysis.run.compiles[0].phases == pytest.approx({"lowering": 0.1, "backend": 0.15})
    cost = analysis.costs.of(second)
    assert cost is not None
    assert cost.phases["lowering"] == pytest.approx(0.1)


def test_dynamo_compiles_what_met_other_inputs(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    lowered_capture(log, "!0/0/0", seconds=0.25)
    guard = {**REFUSED, "reason": "guard", "detail": "stride mismatch", "file": None, "line": None}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **guard})
    log.compiled("!0/1/0", seconds=2.0, stack=[("/home/user/train.py", 9, "step", "")])
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures))[1:] == [
        "Then compiled by Dynamo: !0: guard failed: stride mismatch."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert capture.lowering.way == "l2"
    assert capture.seconds.compile == pytest.approx(0.25)
    # A hit that still recompiled, as it would be had Dynamo compiled it before.
    (recompile,) = run.recompiled_captures
    assert (recompile.compile_id, recompile.recompile_reason) == ("!0/1/0", "stride mismatch")


def test_a_graph_that_is_lowered_for_several_sizes(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for sizes in ([4, 4], [6, 6]):
        log.own(schema.LOWERING_RECORD, capture=0, sizes=sizes, **SIZED)
    many = {**REFUSED, "reason": "many_sizes", "detail": "more than 2", "file": None, "line": None}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **many})
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (capture,) = run.captures
    assert capture.lowering is not None
    assert (capture.lowering.way, capture.lowering.size_sets) == ("l2", 2)
    assert capture.lowering.seconds == 0.5
    assert lowering_words(capture.lowering) == (
        "yes (l2) for 2 sizes; then compiled by Dynamo: sizes are many: more than 2"
    )


def test_a_record_of_no_capture_is_damage(tmp_path: Path) -> None:
    log = LogWriter()
    log.own(schema.LOWERING_RECORD, way="l2")
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert any("lowering without a capture" in damage.detail for damage in run.damage)


def test_a_guard_that_fails_later_is_no_compile_of_dynamos(tmp_path: Path) -> None:
    guard = {
        "way": "direct",
        "reason": "guard",
        "detail": "stride mismatch",
        "background": {**READY, "state": "guard"},
    }
    run = background_run(tmp_path, {"background": READY}, guard)
    assert list(lowering_lines(run.captures))[2:] == [
        "Runs as captured: !0: guard failed: stride mismatch."
    ]
    assert not run.recompiled_captures


def test_what_is_no_aten_graph_after_all(tmp_path: Path) -> None:
    refused = {**REFUSED, "backend": "inductor", "background": None}
    run = background_run(tmp_path, refused)
    (capture,) = run.captures
    assert capture.lowering is not None
    assert not capture.lowering.is_lowered
    assert list(lowering_lines(run.captures))[1:] == [
        "Not lowered: !0: Python hook double at train.py:40."
    ]
