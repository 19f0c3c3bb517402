"""Lines of the forward: where they come from, what is damaged, what noting them cost."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from ca_reports.output.advice import noting
from ca_reports.run.build.forward import ForwardLines, seconds_noting
from ca_reports.run.model import Backwards, Capture, Change, Frame, Node, Process, Run

LINE = {"file": "net.py", "line": 7, "function": "forward", "code": "x.pow(p)"}
OTHER = {"file": "net.py", "line": 9, "function": "forward", "code": "x + y"}


def lines_of(*records: dict[str, Any]) -> ForwardLines:
    lines = ForwardLines()
    assert all(lines.add({"step": 1, **record}) for record in records)
    return lines


def capture(id: int, *changes: Change, closest: int | None = None) -> Capture:
    node = Node(changes[0].index, "PowBackward0") if changes and changes[0].index else None
    return Capture(
        id=id, process=0, rank=None, pid=1, kind="new_autograd_node", file="t", line=1,
        node=node, changes=changes, closest_capture=closest,
    )  # fmt: skip


def test_a_capture_of_its_own_lines() -> None:
    lines = lines_of({"capture": 3, "frames": [LINE, OTHER], "nodes": [2, 5], "positions": [0, 1]})

    found = lines.locate(capture(3, Change(5, "Pow", "exponent", 2.0, 3.0)))

    assert found.forward == Frame("net.py", 9, "forward", "x + y")
    assert found.changes[0].forward == found.forward


def test_lines_of_the_closest_capture_serve_where_the_node_was_there() -> None:
    lines = lines_of({"capture": 1, "frames": [LINE], "nodes": [5], "positions": [0]})
    changed = Change(6, "Pow", "exponent", 2.0, 3.0, before_index=5)
    gone = Change(None, "Tanh", "node", "Tanh", None, before_index=5)
    new = Change(6, "Tanh", "node", None, "Tanh")

    for change, line in ((changed, 7), (gone, 7), (new, None)):
        found = lines.locate(capture(4, change, closest=1))
        assert (found.forward.line if found.forward else None) == line


def test_a_first_capture_has_no_line() -> None:
    lines = lines_of({"capture": 0, "frames": [LINE], "nodes": [1, 0], "positions": [0, 0]})
    assert lines.locate(capture(0)).forward is None


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"step": 1, "capture": -1},
        {"step": 1, "capture": 1, "nodes": [1], "positions": []},
        {"step": 1, "capture": 1, "nodes": [1], "positions": [0], "frames": [{}]},
        {"step": 1, "capture": 1, "nodes": [1], "positions": [2], "frames": [LINE]},
        {"step": 1, "capture": 1, "nodes": ["x"], "positions": [0], "frames": [LINE]},
    ],
)
def test_a_record_of_the_wrong_shape_is_refused(record: dict[str, Any]) -> None:
    assert not ForwardLines().add(record)


def process(pauses: list[float], noted: tuple[int, ...]) -> Process:
    starts = [0.0]
    for pause in pauses:
        starts.append(starts[-1] + 1.0 + pause)
    number = len(starts)
    rows = Backwards(
        array("q", range(number)), array("q", [0] * number), array("d", starts),
        array("d", [1.0] * number), array("b", [0] * number), array("b", [0] * number),
        number, number, 0,
    )  # fmt: skip
    return Process(
        index=0, file="t", rank=None, pid=1, records=1, backwards=rows, noted_forwards=noted
    )


def test_the_cost_is_how_much_longer_those_forwards_took() -> None:
    # Steps 1 to 4 were noted, one of them with a compile in it.
    found = process([0.3, 0.3, 9.0, 0.3, 0.1, 0.1, 0.1, 5.0], (1, 2, 3, 4))
    assert seconds_noting(found) == pytest.approx(4 * 0.2)
    run = Run(paths=(), files=(), processes=(found,))
    told = "--forward-stacks noted the lines of 4 forwards, about 0.80 s slower in all."
    assert noting(run) == told


def test_too_few_forwards_tell_no_cost() -> None:
    found = process([0.3, 0.3, 0.1, 0.1], (1, 2))
    assert seconds_noting(found) is None
    run = Run(paths=(), files=(), processes=(found,))
    assert noting(run) == "--forward-stacks noted the lines of 2 forwards."
    assert noting(Run(paths=(), files=(), processes=(process([0.1], ()),))) is None
