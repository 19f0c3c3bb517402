"""What is said of a compile that takes long."""

from __future__ import annotations

import os
import pty
import sys
import threading
from typing import Any

import pytest

from ca_engine import stall_line
from ca_engine.schema import FailedGuardRecord
from ca_engine.stall_line import StallLine


class Line:
    """Stands for the terminal's line."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.told = threading.Event()
        self.cleared = 0

    def show(self, text: str) -> None:
        self.shown.append(text.rpartition(",")[0])
        self.told.set()

    def clear(self) -> None:
        self.cleared += 1


def held(value: object) -> list[FailedGuardRecord]:
    return [{"failed": "0/1", "source": "temperature", "held": {"type": "float", "value": value}}]  # type: ignore[typeddict-item]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stall_line, "APPEARS_AFTER", 0.0)


def said(line: Any, lines: StallLine, compile_id: str) -> str:
    """Return the last text of a compile that takes long enough."""
    line.told.clear()
    lines.begins(compile_id)
    assert line.told.wait(60)
    lines.ends(compile_id)
    return str(line.shown[-1])


def test_a_first_compile_a_recompile_and_a_backward(at_once: None) -> None:
    line: Any = Line()
    lines = StallLine(line)
    lines.named("loss_of", [], [])
    assert said(line, lines, "0/0") == "ca: compiling loss_of"
    assert said(line, lines, "0/0") == "ca: compiling the backward of loss_of"
    lines.named("loss_of", ["0/1: temperature == 0.9  # return x"], held(0.8))
    assert said(line, lines, "0/2") == (
        "ca: compiling loss_of, the 3rd time: temperature 0.9 → 0.8"
    )
    lines.named("loss_of", ["0/0: tensor 'x' size mismatch at index 0. expected 4, actual 6"], [])
    assert said(line, lines, "0/1") == (
        "ca: compiling loss_of, the 2nd time: x in dimension 0: 4 → 6"
    )
    lines.named("loss_of", ["0/0: G['net']._modules['layers']._modules['0'].scale == 0.9"], held(2))
    assert said(line, lines, "0/1") == (
        "ca: compiling loss_of, the 2nd time: net.layers.0.scale 0.9 → 2"
    )
    lines.named("torch_dynamo_resume_in_forward_at_13", ["0/0: ___check_type_id(x, 94)"], [])
    assert said(line, lines, "3/11") == (
        "ca: compiling the rest of forward, the 12th time: x changed"
    )
    assert said(line, lines, "7/0") == "ca: compiling a graph"
    assert line.cleared == 7


def test_one_within_another_is_part_of_it(at_once: None) -> None:
    line: Any = Line()
    lines = StallLine(line)
    lines.named("outer", [], [])
    lines.begins("0/0")
    lines.named("inner", [], [])
    lines.begins("1/0")
    lines.ends("1/0")
    assert line.cleared == 0
    assert line.told.wait(60)
    lines.ends("0/0")
    assert set(line.shown) == {"ca: compiling outer"}
    assert line.cleared == 1


def test_a_short_one_says_nothing() -> None:
    line: Any = Line()
    lines = StallLine(line)
    for number in range(5):
        lines.begins(f"0/{number}")
        lines.ends(f"0/{number}")
    assert not line.shown


def test_without_a_terminal_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert stall_line.of_terminal() is None


@pytest.mark.parametrize(
    ("term", "has_one"), [("xterm", True), ("dumb", False), ("unknown", False)]
)
def test_a_terminal_that_moves_no_cursor_has_none(
    monkeypatch: pytest.MonkeyPatch, term: str, has_one: bool
) -> None:
    _, terminal = pty.openpty()
    monkeypatch.setenv("TERM", term)
    with os.fdopen(terminal, "w") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        assert (stall_line.of_terminal() is not None) == has_one
