"""Recordings of CUDA graphs, from pairs of torch's events."""

from __future__ import annotations

from typing import Any

from ca_reports.run.build.cudagraphs import CudaGraphs
from ca_reports.run.model import Compile, Frame

PLACE = Frame("/t/net.py", 4, "step", "def step(batch):")


def event(phase: str, seconds: float, compile_id: object = None) -> dict[str, Any]:
    return {"ph": phase, "ts": seconds * 1e6, "args": {"compile_id": compile_id}}


def test_recordings_of_one_graph_are_numbered_and_at_its_place() -> None:
    graphs = CudaGraphs(10)
    for line, compile_id in enumerate(("0/0", "1/0", "0/0")):
        graphs.add(event("B", line), 10 * line)
        assert graphs.add(event("E", line + 0.5, compile_id), 10 * line + 1) == line + 0.5
    found = graphs.build(2, (Compile("0/0", 2, None, None, None, location=PLACE),))
    assert [(one.compile_id, one.number, one.location, one.line) for one in found] == [
        ("0/0", 0, PLACE, 1),
        ("1/0", 0, None, 11),
        ("0/0", 1, PLACE, 21),
    ]
    assert {(one.process, one.seconds) for one in found} == {(2, 0.5)}


def test_half_an_event_and_one_of_no_graph_are_none() -> None:
    graphs = CudaGraphs(10)
    graphs.add(event("E", 1, "0/0"), 1)
    graphs.add(event("B", 2), 2)
    graphs.add(event("E", 3, "None"), 3)
    graphs.add(event("E", 4, "0/0"), 4)
    assert graphs.add({"ph": "E", "ts": "soon"}, 5) is None
    assert graphs.build(0, ()) == ()


def test_they_are_bounded() -> None:
    graphs = CudaGraphs(2)
    for time in range(5):
        graphs.add(event("B", time), 0)
        graphs.add(event("E", time, "0/0"), 0)
    assert len(graphs.build(0, ())) == 2
