"""Source on a terminal: three lines, carets below the one to change."""

from __future__ import annotations

from ca_reports.output.code_frame import code_frame
from ca_reports.program.excerpts import Excerpt


def test_carets_stand_below_the_line_that_is_meant() -> None:
    found = Excerpt(99, ("a = 1", "    batches = DataLoader(", "        data)"), 100)
    assert [line.plain for line in code_frame(found, 60)] == [
        " 99 | a = 1",
        "100 |     batches = DataLoader(",
        "    |     ^^^^^^^^^^^^^^^^^^^^^",
        "101 |         data)",
    ]


def test_a_long_line_is_cut_and_steers_no_terminal() -> None:
    (line, carets) = code_frame(Excerpt(1, ("x = '\x1b[2J'" + "y" * 500,), 1), 40)
    assert len(line.plain) <= 40
    assert "\x1b" not in line.plain
    assert len(carets.plain) == len(line.plain)
