"""The names that the user's loop gave its backwards, from the records to every output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output import json as as_json
from ca_reports.run.loop import LoopPosition, Positions, read_columns, read_position
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.output.shown import flat
from tests.unit.reports.output.test_terminal import printed

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

FIRST = {"step": 0, "epoch": 2, "phase": "train"}
SECOND = {"step": 17, "epoch": 2, "phase": "validation"}
WORDS = "step 17, epoch 2, validation"


def batch(log: LogWriter, first: int, names: list[dict[str, Any]] | None, **more: Any) -> None:
    rows = 2
    columns = {
        f"loop_{key}": [name[key] for name in names]
        for key in ("step", "epoch", "phase")
        if names is not None
    }
    log.own(
        "ca_backwards",
        **{
            "time": START + 1 + first,
            "step": [first, first + 1],
            "capture": [0, first // 2],
            "start": [0.0, 1.0],
            "seconds": [0.25] * rows,
            "miss": [0, 1],
            "failed": [0] * rows,
            **columns,
            **more,
        },
    )


def named_log() -> LogWriter:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, loop=FIRST)
    change = {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 2, "after": 3}
    log.ca_capture(1, "new_autograd_node", loop=SECOND, closest_capture=0, changes=[change])
    log.compiled("4/0", 8.0)
    log.compiled("4/1", 16.0, recompile_reason="4/0: n == 1.0", start_time=START + 3.1)
    batch(log, 0, None)
    batch(log, 2, [FIRST, SECOND])
    log.ca_end(START + 40, backwards=4, hits=2)
    return log


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return ca_reports.load([named_log().write(tmp_path / "trace.log")])


def test_captures_and_backwards_have_their_names(run: Run) -> None:
    (process,) = run.processes
    named = [LoopPosition(0, 2, "train"), LoopPosition(17, 2, "validation")]
    assert [found.loop for found in run.captures] == named
    rows = process.backwards
    assert rows is not None
    # The first batch has no names: of its backwards none is known.
    assert [rows.loop_of(step) for step in (0, 1)] == [None, None]
    assert [rows.loop_of(step) for step in (2, 3)] == [found.loop for found in run.captures]
    assert rows.loop_of(99) is None
    assert rows.loop_of(None) is None


def test_a_log_without_names_has_none(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_backwards([(0, 1), (0, 0)])
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    rows = run.processes[0].backwards
    assert rows is not None
    assert rows.loops is None
    assert rows.loop_of(0) is None
    assert as_json.document(analyze(run))["captures"][0]["loop"] is None
    assert "called" not in printed(run)


def test_findings_say_when(run: Run) -> None:
    loops = {found.code: found.loops for found in analyze(run).diagnosis.findings}
    assert LoopPosition(17, 2, "validation") in {loop for found in loops.values() for loop in found}
    text = flat(printed(run, width=200))
    assert f"at {WORDS}" in text
    page = html.render(analyze(run))
    assert page.count(WORDS) >= 2


def test_json_has_stable_keys(run: Run) -> None:
    document = json.loads(as_json.render(analyze(run)))
    assert [found["loop"] for found in document["captures"]] == [FIRST, SECOND]
    assert [SECOND] in [found["loops"] for found in document["findings"]]


def test_many_names_are_cut(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    change = {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 2, "after": 3}
    for id in range(200):
        log.ca_capture(
            id,
            "new_autograd_node" if id else "first",
            closest_capture=max(0, id - 1),
            changes=[change],
            loop={"step": id, "epoch": None, "phase": None},
        )
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    longest = max(analyze(run).diagnosis.findings, key=lambda found: len(found.loops))
    assert len(longest.loops) == 100
    assert "and 97 more" in flat(printed(run, width=200))


@pytest.mark.parametrize(
    "raw", [None, 3, [], "x", {}, {"step": -1}, {"step": 1.5, "epoch": "2", "phase": 3}]
)
def test_what_names_nothing_is_no_position(raw: object) -> None:
    assert read_position(raw) is None


def test_parts_that_are_missing_are_not_said() -> None:
    assert LoopPosition(12_000).words == "step 12,000"
    assert LoopPosition(None, 3).words == "epoch 3"
    assert LoopPosition(None, None, "test").words == "test"


@pytest.mark.parametrize(
    "columns",
    [
        {"loop_step": [1]},
        {"loop_step": [1, 2], "loop_epoch": [1], "loop_phase": [None, None]},
        {"loop_step": "ab", "loop_epoch": 1, "loop_phase": {}},
    ],
)
def test_broken_columns_name_nothing(columns: dict[str, Any]) -> None:
    assert read_columns(columns, 2) == [None, None]


def test_columns_keep_what_they_were_given() -> None:
    given = [None, LoopPosition(1, None, "a"), LoopPosition(None, 0), LoopPosition(2, 1, "b"), None]
    positions = Positions()
    positions.extend(given)
    assert [positions.at(row) for row in range(len(positions))] == given
