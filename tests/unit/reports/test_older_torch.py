"""Logs of torch 2.6, which numbers no captures and writes no reason of a miss into its trace."""

from __future__ import annotations

from pathlib import Path

import pytest

import ca_reports
from ca_engine import guards
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.refusals import refusal

LOGS = Path(__file__).parents[2] / "fixtures" / "torch" / "older"
TRAIN = "/home/user/train.py"
TRACE, TEXT = LOGS / "2.6.0.log.gz", LOGS / "2.6.0.txt.gz"


def test_each_graph_of_a_trace_is_a_capture() -> None:
    run = ca_reports.load([TRACE])
    assert [found.label for found in run.captures] == ["!0", "!1", "!2"]
    assert [found.is_recapture for found in run.captures] == [False, True, True]
    for capture in run.captures:
        assert capture.graph is not None
        assert capture.graph.text.startswith("class CompiledAutograd(")
    assert "reasons" in [gap.subject for gap in analyze(run).limitations]


def test_a_text_has_the_reasons() -> None:
    run = ca_reports.load([TEXT])
    assert [(found.kind, found.node and found.node.name) for found in run.captures] == [
        ("first", "torch::autograd::GraphRoot"),
        ("new_autograd_node", "SinBackward0"),
        ("changed_shapes", None),
    ]


@pytest.mark.parametrize("log", [TRACE, TEXT])
def test_the_recompiles_and_the_limit(log: Path) -> None:
    run = ca_reports.load([log])
    told = [
        (found.compile_id, guards.parse(found.recompile_reason or "")[0].text)
        for found in run.compiles
        if found.has_failed_guards and found.compile_id.startswith("0/")
    ]
    assert told[:2] == [("0/1", "L['mode'] == 'first'"), ("0/2", "L['mode'] == 'second'")]
    if log == TEXT:  # the trace has nothing of a compile that was refused
        assert [found.compile_id for found in run.compiles if refusal(found.fail_reason or "")] == [
            "0/3"
        ]
        assert "CA402" in [found.code for found in analyze(run).diagnosis.findings]


@pytest.mark.parametrize("log", [TRACE, TEXT])
def test_the_call_of_backward_is_no_break_of_the_users(log: Path) -> None:
    run = ca_reports.load([log])
    assert [(found.location.line, found.count) for found in run.graph_breaks if found.location] == [
        (13, 2)
    ]


def test_what_dynamo_compiles_of_a_captured_graph_is_of_its_capture() -> None:
    run = ca_reports.load([TRACE])
    assert [
        (found.compile_id, found.capture) for found in run.compiles if found.capture is not None
    ] == [
        ("!0/2/0", 0),
        ("!1/4/0", 1),
        ("!2/5/0", 2),
    ]
    calls = [found.backward_call for found in run.captures]
    assert [(call.file, call.line) for call in calls if call] == [
        (TRAIN, 17),
        (TRAIN, 17),
        (TRAIN, 17),
    ]
    assert "CA717" not in [found.code for found in analyze(run).diagnosis.findings]
