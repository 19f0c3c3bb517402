"""``ca_lowering``: read into its capture, told in words and in the JSON, damage included."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, get_args

import pytest
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports.analysis import analyze
from ca_reports.lowered import RecordedLowering
from ca_reports.render import json as json_output
from ca_reports.render import terminal
from ca_reports.text import lowering as words
from ca_reports.text.lowering import lowering_lines, lowering_reason
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run

LOWERED = {"way": "l2", "backend": "inductor", "seconds": 0.25, "cache": "hit", "reason": None}
REFUSED = {
    "way": "no",
    "backend": "aot_eager",
    "seconds": 0.01,
    "reason": "python_hook",
    "detail": "double",
    "file": "/home/user/train.py",
    "line": 40,
}


def run_of(folder: Path, *records: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    for capture, record in enumerate(records):
        log.ca_capture(capture)
        log.own(schema.LOWERING_RECORD, **{"capture": capture, **record})
    return ca_reports.load([log.write(folder / "trace.log")])


def test_it_belongs_to_its_capture(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED)
    first, second = run.captures
    assert first.lowering is not None
    assert second.lowering is not None
    assert (first.lowering.is_lowered, second.lowering.is_lowered) == (True, False)
    # What lowering took is what the graph's compile took: Dynamo wrote nothing.
    assert first.seconds.compile == pytest.approx(0.001 + 0.25)
    assert second.seconds.compile == pytest.approx(0.001)


def test_the_terminal_says_what_was_lowered_and_why_not(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED, REFUSED)
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=120))
    assert "Lowered 1 of 3 captured graphs without Dynamo, in 0.2" in out.getvalue()
    assert "Not lowered: !1 and 1 more: Python hook double at train.py:40." in out.getvalue()


def test_the_terminal_says_what_aotautograd_traced(tmp_path: Path) -> None:
    level_1 = {**LOWERED, "way": "l1", "reason": "grad_is_read"}
    assert list(lowering_lines(run_of(tmp_path, LOWERED, level_1).captures)) == [
        "Lowered 2 of 2 captured graphs without Dynamo, in 0.50 s.",
        "Traced by AOTAutograd: !1: the graph reads a .grad.",
    ]


def test_the_json_has_the_record(tmp_path: Path) -> None:
    (capture,) = json_output.document(analyze(run_of(tmp_path, LOWERED)))["captures"]
    assert capture["lowering"] == {
        **LOWERED,
        **dict.fromkeys(("detail", "file", "line")),
    }


def test_without_lowering_nothing_is_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_capture(0)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures)) == []
    (capture,) = json_output.document(analyze(run))["captures"]
    assert capture["lowering"] is None


def test_a_graph_that_met_other_inputs_counts_as_not_lowered(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_capture(0)
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **LOWERED})
    guard = {**REFUSED, "reason": "guard", "detail": "stride mismatch", "file": None, "line": None}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **guard})
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures))[1:] == [
        "Not lowered: !0: guard failed: stride mismatch."
    ]


def test_every_reason_has_words() -> None:
    assert set(get_args(schema.LoweringReason)) == set(words._REASONS)
    for reason in get_args(schema.LoweringReason):
        said = lowering_reason(RecordedLowering.from_record({"reason": reason, "detail": "x"}))
        assert said is not None
        assert "_" not in said


def test_a_record_of_no_capture_is_damage(tmp_path: Path) -> None:
    log = LogWriter()
    log.own(schema.LOWERING_RECORD, way="l2")
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert any("lowering without a capture" in damage.detail for damage in run.damage)
