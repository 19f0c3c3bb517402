"""The section of the terminal summary."""

from __future__ import annotations

from typing import Any

import pytest

from ca_pytest import summary
from tests.plugin.sessions import run_from_scratch

pytest_plugins = "pytester"


@pytest.mark.long
def test_the_summary_says_what_why_and_where(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        from helper import train

        def test_steady():
            train([8, 8, 8])

        def test_ragged():
            train([8, 8, 3], loop=True)

        def test_steady_again():
            train([3, 3])
        """
    )
    result = run_from_scratch(session, "--ca", "-q")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "*::test_steady  1 capture",
            "*::test_ragged  2 captures (1 recapture); * lost",
            "  CA1??*",
            "        helper.py:11  (x.expand(size, 4) * 2).square().mean().backward()",
            "        at step 2, epoch 1, train",
            "        fix: *",
            # The graphs of the test before are not there to be hit, nor to be compared with.
            "*::test_steady_again  1 capture",
            "3 tests recorded: 3 captured a backward, 1 more than once.",
        ]
    )


class Terminal:
    """What is printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def section(self, title: str, **_: Any) -> None:
        self.lines.append(f"= {title}")

    def write_line(self, line: str, **_: Any) -> None:
        self.lines.append(line)


def outcome(captures: int = 0, recaptures: int = 0, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"compiles": 0, "recompiles": 0, "graph_breaks": 0, "seconds_lost": 0.0}
    found |= {"findings": [], "findings_left_out": 0}
    return {"captures": captures, "recaptures": recaptures, **found, **more}


def test_tests_that_captured_are_shown_and_the_others_counted() -> None:
    terminal = Terminal()
    again = outcome(3, 2, findings=["  CA206 x"], findings_left_out=4)
    summary.write(terminal, [("a", outcome()), ("b", outcome(1)), ("c", again)], None)
    assert terminal.lines == [
        "= ca: captures and recompiles",
        "b  1 capture",
        "c  3 captures (2 recaptures)",
        "  CA206 x",
        "  and 4 more findings",
        "3 tests recorded: 2 captured a backward, 1 more than once.",
        "--ca-output DIR keeps the records and writes an HTML report of each.",
    ]


def test_a_session_of_forwards_says_nothing_of_backwards() -> None:
    terminal = Terminal()
    outcomes = [
        ("a", outcome()),
        ("b", outcome(compiles=1)),
        ("c", outcome(compiles=2, recompiles=1)),
    ]
    summary.write(terminal, outcomes, None)
    assert terminal.lines[1:-1] == [
        "b  1 compile",
        "c  2 compiles; 1 Dynamo recompile",
        "3 tests recorded: 2 compiled a forward, 1 more than once.",
    ]


def test_where_records_are_kept_it_says_how_to_read_them() -> None:
    terminal = Terminal()
    summary.write(terminal, [("a", outcome())], "kept")
    assert terminal.lines[-1] == "ca explain-recompiles kept/TEST"
