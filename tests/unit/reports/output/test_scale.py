"""A run with many captures stays readable: grouped by cause, ten rows of a table, 80 columns."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from ca_reports import load
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import terminal
from tests.unit.logwriter import START, LogWriter, frame

if TYPE_CHECKING:
    from pathlib import Path

CAPTURES = 58


def many() -> LogWriter:
    """A first capture, and one for each value of an exponent after it."""
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.torch_capture(0)
    log.compiled("!0/1/0", 2.0)
    for number in range(1, CAPTURES):
        exponent = {"index": 3, "name": "PowBackward0", "attribute": "exponent"}
        log.ca_capture(
            number,
            "new_autograd_node",
            step=number * 3,
            reason="Cache miss due to new autograd node: PowBackward0 (NodeCall 3) with key size "
            "47, previous key sizes=[47]",
            node={"index": 3, "name": "PowBackward0"},
            closest_capture=number - 1,
            changes=[{**exponent, "before": number, "after": number + 1}],
            seconds={"capture": 0.2},
            stack=[frame("/home/user/train.py", 11, "main", "loss.backward()")],
        )
        log.compiled(f"!{number}/1/0", 0.4, start_time=START + 1 + number)
    log.ca_backwards([(number, 1) for number in range(CAPTURES)])
    log.ca_end(START + 60, CAPTURES, 0)
    return log


def printed(tmp_path: Path, *, in_full: bool) -> list[str]:
    analysis = analyze(load([many().write(tmp_path / "x.log")]))
    stream = io.StringIO()
    terminal.render(analysis, Console(file=stream, width=80), in_full=in_full)
    return stream.getvalue().splitlines()


def test_many_captures_of_one_cause_are_one_row(tmp_path: Path) -> None:
    lines = printed(tmp_path, in_full=False)
    print("\n".join(lines))
    assert len(lines) < 40
    assert max(map(len, lines)) <= 80
    at = lines.index("58 captures of a backward, by cause")
    assert lines.index("Fixes, costliest first") < at
    rows = [line.split() for line in lines[at + 4 :] if line[:1] not in ("", " ")][:2]
    assert rows[0][:3] == ["CA206", "57", "3–171"]
    assert rows[0][-2:] == ["34.2", "s"]
    assert rows[1][:3] == ["–", "1", "0"]
    # One place of all is said once, and needs no column.
    assert lines[at + 1] == "  all at train.py:11  loss.backward()"
    assert sum("train.py:11" in line for line in lines[at:]) == 1
    assert "  --all lists every capture" in lines


def test_all_of_them_are_listed_if_asked_for(tmp_path: Path) -> None:
    lines = printed(tmp_path, in_full=True)
    named = {line.split()[0]: line.split()[1] for line in lines if line.startswith("!")}
    assert named.pop("!0") == "–"
    assert named == {f"!{number}": "CA206" for number in range(1, CAPTURES)}


def test_a_line_of_source_is_cut_and_its_place_is_not(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    code = "(loss / arguments.accumulate).backward(create_graph=arguments.second_order)"
    log.ca_capture(0, stack=[frame("/home/user/training/of/it/train.py", 1234, "main", code)])
    log.ca_backwards([(0, 1)])
    stream = io.StringIO()
    analysis = analyze(load([log.write(tmp_path / "x.log")]))
    terminal.render(analysis, Console(file=stream, width=80))
    assert "train.py:1234" in stream.getvalue()
    assert "(loss / arguments.a" in stream.getvalue()
    assert "second_order" not in stream.getvalue()


def test_a_place_that_repeats_is_printed_once(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for number, line in enumerate((7, 7, 9)):
        log.ca_capture(number, stack=[frame("/home/user/train.py", line, "main", "f().backward()")])
    log.ca_backwards([(0, 1)])
    stream = io.StringIO()
    analysis = analyze(load([log.write(tmp_path / "x.log")]))
    terminal.render(analysis, Console(file=stream, width=80))
    lines = stream.getvalue().partition("Captures of a backward")[2].splitlines()
    assert [line.count("train.py:7") for line in lines if line.startswith("!")] == [1, 0, 0]
    assert "″" in next(line for line in lines if line.startswith("!1"))
    assert "train.py:9" in next(line for line in lines if line.startswith("!2"))
