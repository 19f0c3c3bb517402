"""What is said of lowered graphs."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.output import terminal
from ca_reports.run.lowered import RecordedLowering
from ca_reports.run.model import Run
from ca_reports.sentences import lowering as words
from ca_reports.sentences.lowering import (
    lowering_lines,
    lowering_reason,
    lowering_words,
)
from tests.unit.logwriter import LogWriter
from tests.unit.reports.lowerings import LOWERED, READY, REFUSED, background_run, run_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_engine.schema import CaptureKind


def test_the_terminal_says_what_was_lowered_and_why_not(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED, REFUSED)
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=120))
    assert "Lowered 1 of 3 captured graphs without Dynamo, in 0.2" in out.getvalue()
    assert "Not lowered: !1 and 1 more: Python hook double at train.py:40." in out.getvalue()


def test_the_terminal_says_what_aotautograd_traced(tmp_path: Path) -> None:
    level_1 = {**LOWERED, "way": "l1", "reason": "grad_is_read"}
    assert list(lowering_lines(run_of(tmp_path, LOWERED, level_1).captures)) == [
        "Lowered 2 of 2 captured graphs without Dynamo, in 0.50 s; "
        "Dynamo would add about 45 ms (32 ms to 76 ms).",
        "Traced by AOTAutograd: !1: the graph reads a .grad.",
    ]


def test_without_lowering_nothing_is_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_capture(0)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures)) == []
    (capture,) = json_output.document(analyze(run))["captures"]
    assert capture["lowering"] is None


@pytest.mark.parametrize(
    ("enabled", "dynamic", "kind", "is_said"),
    [
        (True, None, "changed_shapes", True),
        (True, True, "changed_shapes", False),
        (True, None, "new_autograd_node", False),
        # A script that turns compiled autograd on itself has chosen.
        (False, None, "changed_shapes", False),
    ],
)
def test_how_sizes_are_captured_is_said_where_they_varied(
    enabled: bool, dynamic: bool | None, kind: CaptureKind, is_said: bool, tmp_path: Path
) -> None:
    (process,) = run_of(tmp_path, LOWERED).processes
    captures = tuple(replace(each, kind=kind) for each in process.captures)
    process = replace(process, enabled=enabled, dynamic=dynamic, captures=captures)
    run = Run(("run",), (), (process,))
    said = [line for line in words.engine_lines(run) if "--enable captures a size" in line]
    assert bool(said) == is_said


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (LOWERED, "yes (l2), FxGraphCache hit"),
        (
            {**LOWERED, "cache": "bypass", "cache_reason": "a custom pass"},
            "yes (l2), FxGraphCache bypass (a custom pass)",
        ),
        (REFUSED, "no: Python hook double at train.py:40"),
        ({"way": "l1", "reason": "grad_is_read"}, "yes (l1): the graph reads a .grad"),
        (
            {"way": "l2", "reason": "guard", "detail": "stride mismatch"},
            "yes (l2); then compiled by Dynamo: guard failed: stride mismatch",
        ),
    ],
)
def test_the_page_says_in_one_line_what_became_of_a_graph(
    record: dict[str, Any], words: str
) -> None:
    assert lowering_words(RecordedLowering.from_record(record)) == words


def test_every_reason_has_words() -> None:
    assert set(get_args(schema.LoweringReason)) == set(words._REASONS)
    for reason in get_args(schema.LoweringReason):
        said = lowering_reason(RecordedLowering.from_record({"reason": reason, "detail": "x"}))
        assert said is not None
        assert "_" not in said


def test_what_took_over_is_told_with_the_backwards_before(tmp_path: Path) -> None:
    run = background_run(tmp_path, {"cache": "miss", "background": READY})
    assert list(lowering_lines(run.captures))[1:] == [
        "Compiled 1 of 1 graph in the background, in 17.0 s, of which the training waited 0.50 s; "
        "meanwhile 812 backwards ran as captured."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert lowering_words(capture.lowering) == (
        "yes (l2), FxGraphCache miss; compiled in the background in 17.0 s, took over after "
        "812 backwards"
    )
    # The miss itself, and what the training's process did since.
    assert capture.seconds.compile == pytest.approx(0.001 + 0.25 + 0.5)
    (document,) = json_output.document(analyze(run))["captures"]
    assert document["lowering"]["background"] == READY


def test_what_an_earlier_start_compiled_is_told_apart(tmp_path: Path) -> None:
    known = {**READY, "backwards": 1, "own_seconds": 0.125, "compile_seconds": None}
    run = background_run(tmp_path, {"cache": "hit", "background": known})
    assert list(lowering_lines(run.captures))[1:] == [
        "Took 1 of 1 graph from FxGraphCache, where an earlier start had left them; the training "
        "waited 0.12 s; meanwhile 1 backward ran as captured."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert lowering_words(capture.lowering) == (
        "yes (l2), FxGraphCache hit; compiled by an earlier start, took over after 1 backward"
    )


def test_what_failed_in_the_background_is_told_with_its_reason(tmp_path: Path) -> None:
    why = "the compile process was killed by SIGKILL"
    failed = {"way": "direct", "background": {**READY, "state": "failed", "reason": why}}
    assert list(lowering_lines(background_run(tmp_path, failed).captures))[1:] == [
        "Compiled 0 of 1 graph in the background, in 0 s, of which the training waited 0.50 s; "
        "meanwhile 0 backwards ran as captured.",
        f"Not compiled in the background: {why}: !0.",
    ]


def test_a_run_that_ended_before(tmp_path: Path) -> None:
    assert list(lowering_lines(background_run(tmp_path).captures))[2:] == [
        "Not compiled in the background before the end: !0."
    ]
