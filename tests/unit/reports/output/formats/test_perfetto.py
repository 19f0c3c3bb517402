"""A run as a trace that Perfetto opens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.formats import perfetto
from tests.unit.logwriter import START, LogWriter, sample_run
from tests.unit.reports.output.shown import hostile_log

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run
from tests.unit.reports.written import loaded


def slices(run: Run, thread: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(perfetto.render(analyze(run)))["traceEvents"]
    return [event for event in events if event["ph"] == "X" and event["cat"] == thread]


def test_backwards_captures_and_compiles_are_slices(tmp_path: Path) -> None:
    log = sample_run()
    log.compiled("!2/3/2", 0.5, start_time=START + 30, backend_compile_time_s=0.2)
    run = loaded(log, tmp_path)
    backwards = slices(run, "backwards")
    assert [event["name"] for event in backwards] == [
        "miss", "hit", "miss", "hit", "miss", "hit", "hit", "hit", "hit", "hit",
    ]  # fmt: skip
    assert backwards[0]["ts"] == (START + 1) * 1e6
    assert backwards[0]["dur"] == 250_000
    captures = slices(run, "captures")
    assert [event["name"] for event in captures] == ["capture !0", "capture !1", "capture !2"]
    # The record is written when the graph stands: the capture began before it.
    assert captures[0]["ts"] == (START + 0.5) * 1e6
    assert "exponent: 2 → 3" in captures[1]["args"]["what changed"]
    inner = [event["name"] for event in slices(run, "compiles") if event["ts"] >= START * 1e6 + 3e7]
    assert inner == ["compile !2/3/2", "Dynamo", "backend"]


def check_trace(text: str) -> list[dict[str, Any]]:
    """The rules of Chrome's trace event format that the importers hold a file to."""
    trace = json.loads(text)
    assert isinstance(trace["traceEvents"], list)
    events: list[dict[str, Any]] = trace["traceEvents"]
    named: dict[tuple[str, int, int], str] = {}
    threads: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in events:
        assert {"name", "ph", "pid", "tid", "cat", "args"} <= event.keys()
        assert isinstance(event["name"], str)
        assert type(event["pid"]) is int
        assert event["pid"] > 0
        assert type(event["tid"]) is int
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            tid = event["tid"] if event["name"] == "thread_name" else 0
            assert named.setdefault((event["name"], event["pid"], tid), event["args"]["name"])
            continue
        assert event["ph"] == "X"
        assert type(event["ts"]) is type(event["dur"]) is int
        assert event["dur"] >= 0
        threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for (pid, tid), found in threads.items():
        assert ("process_name", pid, 0) in named
        assert ("thread_name", pid, tid) in named
        ends: list[int] = []
        for event in sorted(found, key=lambda event: (event["ts"], -event["dur"])):
            while ends and ends[-1] <= event["ts"]:
                ends.pop()
            assert not ends or event["ts"] + event["dur"] <= ends[-1], event
            ends.append(event["ts"] + event["dur"])
    return events


def test_the_trace_is_one_that_the_importers_take(tmp_path: Path) -> None:
    log = sample_run()
    log.compiled("!2/3/2", 0.5, start_time=START + 30, backend_compile_time_s=0.2)
    assert len(check_trace(perfetto.render(analyze(loaded(log, tmp_path))))) > 20
    check_trace(perfetto.render(analyze(loaded(hostile_log(), tmp_path))))


def test_what_is_compiled_in_the_background_may_overlap(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for number, waited in enumerate((10.0, 12.0)):
        time = START + 20 + number
        log.own(
            schema.BACKGROUND_RECORD, graph=f"{number}/0", state="ready", time=time, waited=waited
        )
    events = json.loads(perfetto.render(analyze(loaded(log, tmp_path))))["traceEvents"]
    found = [
        (event["ph"], event["id"], event["name"], event["ts"] / 1e6 - START)
        for event in events
        if event["cat"] == "background"
    ]
    assert found == [
        ("b", 0, "in the background 0/0", 10),
        ("e", 0, "in the background 0/0", 20),
        ("b", 1, "in the background 1/0", 9),
        ("e", 1, "in the background 1/0", 21),
    ]


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 2)),
        min_size=1,
        max_size=30,
    )
)
def test_whatever_overlaps_nests_afterwards(rows: list[tuple[int, int, int]]) -> None:
    slices = [
        {"name": "s", "ph": "X", "pid": 1, "cat": "c", "args": {}, "ts": ts, "dur": dur, "tid": tid}
        for ts, dur, tid in rows
    ]
    names = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "cat": "c", "args": {"name": "t"}}
        for tid in (1, 2)
    ]
    process = {**names[0], "name": "process_name"}
    before = sorted((event["tid"], event["ts"]) for event in slices)
    found = perfetto._nested([dict(event) for event in slices])
    check_trace(json.dumps({"traceEvents": [process, *names, *found]}))
    assert sorted((event["tid"], event["ts"]) for event in found) == before
    lone = perfetto._nested([dict(slices[0])])
    assert lone == [slices[0]]


def test_findings_are_slices_over_their_captures(tmp_path: Path) -> None:
    found = slices(loaded(sample_run(), tmp_path), "findings")
    assert found
    assert all(event["name"].startswith("CA") and event["args"]["fix"] for event in found)
    json.loads(perfetto.render(analyze(loaded(hostile_log(), tmp_path))))
