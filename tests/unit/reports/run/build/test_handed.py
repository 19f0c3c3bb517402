"""Captures and compiles of a run that is read again and again: what stays is the same object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine import schema
from ca_reports.run.gather.follow import Follower
from tests.unit.logwriter import LogWriter, frame

if TYPE_CHECKING:
    from pathlib import Path


def test_what_nothing_came_to_is_the_same_object_at_the_next_look(tmp_path: Path) -> None:
    """Findings are kept until the next diagnosis: their events are in memory once."""
    log = LogWriter()
    log.ca_run()
    for id in range(3):
        log.ca_capture(id, "new_autograd_node" if id else "first", step=id)
        log.compiled(f"!{id}/{id}/0", 0.5)
        log.ca_backwards([(id, 1)], id)
    path = log.write(tmp_path / "trace.log")
    follower = Follower([str(path)])
    follower.poll()
    before = follower.poll()
    log.ca_backwards([(1, 0)], 3)
    lines = {"step": 2, "capture": 2, "nodes": [1], "positions": [0]}
    log.own(schema.FORWARD_RECORD, **lines, frames=[frame("model.py", 4, "f", "x.sin()")])
    log.compiled("!2/2/0", 0.75)
    log.write(path)
    follower.poll()
    now = follower.poll()
    same = [one is other for one, other in zip(before.captures, now.captures, strict=True)]
    assert same == [True, False, False]
    assert [found.run_count for found in now.captures] == [1, 2, 1]
    assert [found.line for found in now.captures[2].lines.values()] == [4]
    same = [one is other for one, other in zip(before.compiles, now.compiles, strict=True)]
    assert same == [True, True, False]
    assert now.compiles[2].seconds == 0.75


def test_lines_of_changes_that_come_later_are_shown(tmp_path: Path) -> None:
    """Those of the closest capture, whose node was there as well."""
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    changes = [
        {"index": index, "name": name, "attribute": "x", "before": 1, "after": 2,
         "before_index": index}
        for index, name in ((1, "AddBackward0"), (2, "SubBackward0"))
    ]  # fmt: skip
    log.ca_capture(1, "new_autograd_node", closest_capture=0, changes=changes)

    def noted(node: int, line: int) -> None:
        lines = {"step": 0, "capture": 0, "nodes": [node], "positions": [0]}
        log.own(schema.FORWARD_RECORD, **lines, frames=[frame("model.py", line, "f", "x")])

    noted(1, 4)
    path = log.write(tmp_path / "trace.log")
    follower = Follower([str(path)])
    follower.poll()
    follower.poll()
    noted(2, 5)
    log.write(path)
    follower.poll()
    found = follower.poll().captures[1].changes
    assert [change.forward and change.forward.line for change in found] == [4, 5]
