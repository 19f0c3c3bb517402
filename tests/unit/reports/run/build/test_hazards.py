"""``ca_hazard``, ``ca_trial`` and the errors in ``ca_end``: read, counted, and never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import GraphBreak, TensorSum, TrialCalls
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Process

FRAME = {"file": "train.py", "line": 3, "function": "main", "code": "loss.backward()"}
HAZARD: dict[str, Any] = {
    "schema_version": 1,
    "time": 1_700_000_001.0,
    "id": 1,
    "kind": "autocast",
    "step": 4,
    "capture": 0,
    "then": {},
    "now": {"cpu": "bfloat16"},
    "option": "off",
    "error": None,
    "stack": [FRAME],
}
END: dict[str, Any] = {
    "schema_version": 1,
    "time": 1_700_000_009.0,
    "backwards": 9,
    "captures": 1,
    "failed_captures": 0,
    "hits": 8,
    "unique_graphs": 1,
    "error": "KeyError",
    "error_text": "KeyError: 1",
    "error_stack": [FRAME],
    "hazards": [2, 5],
    "hazards_left_out": 0,
    "aot_cache": {"miss": 1, "bypass": 2},
    "fx_cache": {"write_error": 1},
}


def read(folder: Path, *records: tuple[str, dict[str, Any]]) -> Process:
    log = LogWriter()
    for name, body in records:
        log.own(name, **body)
    (process,) = ca_reports.load([str(log.write(folder / "trace.log"))]).processes
    return process


def test_a_hazard_with_its_count_from_the_end(tmp_path: Path) -> None:
    process = read(tmp_path, ("ca_hazard", HAZARD), ("ca_end", END))

    (hazard,) = process.hazards
    assert (hazard.kind, hazard.step, hazard.capture) == ("autocast", 4, 0)
    assert (hazard.then, hazard.now, hazard.option) == ({}, {"cpu": "bfloat16"}, "off")
    assert (hazard.count, hazard.line) == (5, 1)
    assert hazard.backward_call is not None
    assert hazard.backward_call.line == 3
    assert process.end is not None
    assert process.end.error_text == "KeyError: 1"
    assert process.end.error_stack[0].file == "train.py"
    assert process.end.aot_cache == {"miss": 1, "bypass": 2}
    assert process.end.fx_cache == {"write_error": 1}


def test_a_killed_process_has_its_hazards_at_least_once(tmp_path: Path) -> None:
    assert [found.count for found in read(tmp_path, ("ca_hazard", HAZARD)).hazards] == [1]


@pytest.mark.parametrize("key", [*HAZARD, "unknown"])
@pytest.mark.parametrize("value", [None, [], {}, "x", -1, 1e300, [[{}]]])
def test_any_field_may_be_anything(tmp_path: Path, key: str, value: object) -> None:
    process = read(tmp_path, ("ca_hazard", {**HAZARD, key: value}), ("ca_end", END))

    assert len(process.hazards) <= 1
    assert all(found.count >= 1 for found in process.hazards)


@pytest.mark.parametrize("key", ["hazards", "error_text", "error_stack", "aot_cache", "fx_cache"])
@pytest.mark.parametrize("value", [None, "x", [None, {}], {"x": "y"}, 3])
def test_an_end_may_say_anything(tmp_path: Path, key: str, value: object) -> None:
    process = read(tmp_path, ("ca_hazard", HAZARD), ("ca_end", {**END, key: value}))

    assert process.end is not None
    assert process.end.hits == 8


def test_hazards_are_bounded_and_the_rest_is_damage(tmp_path: Path) -> None:
    records = [("ca_hazard", HAZARD)] * 1_100
    log = LogWriter()
    for name, body in records:
        log.own(name, **body)
    run = ca_reports.load([str(log.write(tmp_path / "trace.log"))])

    assert len(run.processes[0].hazards) == 1_000
    assert sum(found.count for found in run.damage) == 100


@pytest.mark.parametrize(
    ("body", "losses"),
    [
        (
            {
                "starts": [0.0, 0.5],
                "losses": [1.5, "nan"],
                "gradients": [[2, 1.5, 7], [1, "nan", 3], [1, 2], "x", [1, None, 3]],
                "asking": [2, "x"],
                "calls": {"compiled": 3, "eager": "x", "compiled_seconds": 0.5},
                "stopped": True,
            },
            (1.5, "nan"),
        ),
        ({"starts": "x", "losses": [None, {}, 2], "stopped": 7}, (2,)),
        ({}, ()),
    ],
)
def test_a_trial(tmp_path: Path, body: dict[str, Any], losses: tuple[object, ...]) -> None:
    process = read(tmp_path, ("ca_trial", {"schema_version": 1, "time": 1.0, **body}))

    assert process.trial is not None
    assert process.trial.losses == losses
    assert process.trial.stopped is (body.get("stopped") is True)
    is_whole = "calls" in body
    sums = (TensorSum(2, 1.5, 7), TensorSum(1, "nan", 3)) if is_whole else ()
    assert process.trial.gradients == sums
    assert process.trial.asking == ((2,) if is_whole else ())
    assert process.trial.calls == (TrialCalls(3, 0, 0.5) if is_whole else TrialCalls())


def add_break(log: LogWriter, function: str) -> None:
    log.artifact(
        "dynamo_graph_break_reason",
        "Graph break in user code at /torch/_dynamo/external_utils.py:80\n"
        "Graph Break Reason: Attempted to call function marked as skipped\n"
        f"  Explanation: the function `{function}` at 0x7f{len(log.records)}a is skipped\n",
        encoding="string",
        compiled_autograd_id=0,
        frame_id=0,
        frame_compile_id=0,
    )


def test_breaks_at_one_line_of_torchs_are_told_apart_by_their_explanation(tmp_path: Path) -> None:
    log = LogWriter()
    for function in ("unpack_hook", "unpack_from_cpu", "unpack_hook"):
        add_break(log, function)
    run = ca_reports.load([str(log.write(tmp_path / "trace.log"))])

    assert sorted(found.count for found in run.graph_breaks) == [1, 2]


def test_each_cause_of_breaks_at_one_line_counts(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for function in ("pack", "unpack", "pack", "hook", "pack"):
        add_break(log, function)
    log.compiled("4/0", 1.0)
    (tmp_path / "trace.log").write_bytes(log.data)
    alone = analyze(ca_reports.load([tmp_path]))
    # Its pid and rank are those of the trace: what the same process wrote to stderr.
    (tmp_path / "stderr.log").write_text(
        "V1121 06:36:29.000000 4711 torch/_dynamo/symbolic_convert.py:5124] [4/0] [__graph_breaks] "
        "Graph break in user code at /home/user/train.py:9\n"
        "V1121 06:36:29.000000 4711 torch/_dynamo/symbolic_convert.py:5124] [4/0] [__graph_breaks] "
        "Graph Break Reason: a print\n"
    )
    joined = analyze(ca_reports.load([tmp_path]))

    assert len(joined.run.processes) == 1
    assert (alone.summary.graph_breaks, joined.summary.graph_breaks) == (5, 6)
    events = [event for found in alone.diagnosis.findings for event in found.events]
    assert sum(event.count for event in events if isinstance(event, GraphBreak)) == 5
