"""Frames of records are read within bounds, with what their source names in secret left out."""

from __future__ import annotations

from ca_reports.program.stack import Frame
from ca_reports.run.frames import MAX_FRAMES, frame, own_frames, torch_frames


def test_frames_of_ours_and_of_torch_s_are_the_same() -> None:
    ours = [{"file": "/a.py", "line": 3, "function": "f", "code": "y = x"}, {"line": 4}, 7]
    torchs = [{"filename": 0, "line": 3, "name": "f", "loc": "y = x"}, {"filename": 9}]

    expected = Frame("/a.py", 3, "f", "y = x")
    assert own_frames(ours) == (expected,)
    assert torch_frames(torchs, {0: "/a.py"}) == (expected, Frame("?", 0, "", ""))


def test_no_more_frames_are_read_than_anyone_reads() -> None:
    many = [{"file": "/a.py", "line": number} for number in range(10 * MAX_FRAMES)]
    assert len(own_frames(many)) == MAX_FRAMES


def test_a_secret_in_a_line_of_source_is_left_out() -> None:
    assert "hunter2" not in frame("/a.py", 1, "f", "password = 'hunter2'").code
