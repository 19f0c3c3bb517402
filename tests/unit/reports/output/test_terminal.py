"""The terminal: true, complete, and deaf to what a log tries to do."""

from __future__ import annotations

import dataclasses
import functools
import io
import re
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import ca_reports
from ca_reports.diagnosis.analysis import Analysis, analyze
from ca_reports.logs.damage import Damage
from ca_reports.output import terminal
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ca_reports.run.model import Run
from tests.unit.reports.output.shown import flat, hostile_log
from tests.unit.reports.written import loaded


def printed(
    run: Run,
    show: Callable[[Analysis, Console], None] = terminal.render,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    show(analyze(run), Console(file=stream, width=width, force_terminal=False))
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_the_terminal_says_what_happened(tmp_path: Path) -> None:
    text = flat(printed(loaded(sample_run(), tmp_path), width=200))
    assert "10 backwards: 7 hits (70%), 3 captures (2 recaptures)" in text
    assert "1 captured graph recompiled; 1 forward recompile" in text
    assert "Lost 21.9 s of the 40.0 s it ran (55%) to 4 causes." in text
    assert "Captures of a backward" in text
    assert "PowBackward0 exponent: 2 → 3" in text
    assert "near `body.2`" in text
    assert "SumBackward0 sizes[0], sizes[1]: 10 → 100" in text
    assert "train.py:11" in text
    assert "Cache hits that still recompiled" in text
    assert "tensor 'sizes[0]' size mismatch" in text
    assert "Forward recompiles" in text
    assert "n == 1.0" in text
    assert "# return y" not in text
    assert "cannot tell" not in text
    assert "Damage" not in text


def run_of_many_captures() -> LogWriter:
    log = LogWriter()
    log.ca_run()
    for id in range(40):
        log.ca_capture(
            id,
            "changed_shapes" if id else "first",
            step=id,
            changes=[{"index": 1, "name": "SumBackward0", "attribute": f"sizes[{id % 2}]",
                      "before": 8, "after": 8 + id}] if id else [],
        )  # fmt: skip
        log.torch_capture(id)
    log.ca_end(100.0, 40, 0)
    return log


def test_findings_come_first_and_ten_rows_of_each_table(tmp_path: Path) -> None:
    run = loaded(run_of_many_captures(), tmp_path)
    text = printed(run, width=160)
    lines = text.splitlines()
    assert lines[0].startswith("Lost 19.5 s of ")
    assert lines[2] == "Fixes, costliest first"
    tables = text.index("40 captures of a backward, by cause")
    assert text.index("fix: ") < tables < text.index("40 backwards")
    rows = [line.split() for line in text[tables:].splitlines() if re.match(r"CA\d+ |– ", line)]
    assert [row[1] for row in rows] == ["1"] * 10
    assert "  and 30 more: see --all" in lines


def test_in_full_every_row_is_printed(tmp_path: Path) -> None:
    run = loaded(run_of_many_captures(), tmp_path)
    text = printed(run, functools.partial(terminal.render, in_full=True), width=160)
    rows = [line for line in text.splitlines() if re.match(r"!\d+ ", line)]
    assert [row.split()[0] for row in rows] == [f"!{id}" for id in range(40)]
    assert "more: see" not in text


def test_the_summary_is_short_and_names_the_worst(tmp_path: Path) -> None:
    text = printed(loaded(sample_run(), tmp_path), terminal.render_summary, width=160)
    lines = text.splitlines()
    assert len(lines) <= 1 + 3 * 4 + 1
    # The forward's recompile cost 16 s, that of !2's graph 4 s, the capture !1 1.25 s.
    codes = [line.split()[0] for line in lines if line.startswith("  CA")]
    assert len(codes) == 3
    assert text.index("1 recompile of `step`") < text.index("captured graph was recompiled")
    assert text.index("captured graph was recompiled") < text.index("CA206")
    assert "train.py:11" in text
    assert text.count("fix: ") == 3
    assert lines[-1] == "  and 1 more finding"


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_no_line_is_wider_than_the_terminal(width: int, encoding: str, tmp_path: Path) -> None:
    for log in (sample_run(), hostile_log()):
        run = loaded(log, tmp_path)
        for show in (terminal.render, terminal.render_summary):
            text = printed(run, show, width, encoding)
            assert max(len(line) for line in text.splitlines()) <= width


def test_a_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    run = loaded(hostile_log(), tmp_path)
    for show in (terminal.render, terminal.render_summary):
        text = printed(run, show, 400)
        assert "\x1b" not in text
        assert "[red]" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_what_a_stock_log_lacks_is_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    text = flat(printed(loaded(log, tmp_path)))
    assert "2 captures (1 recapture)." in text
    assert "TORCH_LOGS=compiled_autograd_verbose" in text
    assert "`ca run train.py`" in text
    assert "hits (" not in text


def test_processes_are_named_where_there_are_several(tmp_path: Path) -> None:
    for rank in (0, 1):
        log = LogWriter(pid=rank + 1, rank=rank)
        log.torch_capture(0)
        log.write(tmp_path / f"rank{rank}.log")
    text = printed(ca_reports.load([tmp_path]))
    assert "rank 0" in text
    assert "rank 1" in text


def test_a_bad_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"command": ["ca", "run", "t.py"], "exit_code": null}')
    (tmp_path / "trace").mkdir()
    (tmp_path / "exit_code").write_bytes(b"\x89")
    run = ca_reports.load([tmp_path])
    assert not run.damage
    assert "The run ended with exit code 137." in printed(run)


def test_damage_is_shown(tmp_path: Path) -> None:
    log = sample_run()
    log.records.insert(0, b"\torphan\n")
    text = flat(printed(loaded(log, tmp_path)))
    assert "Damage in the log" in text
    assert "a payload that belongs to no record" in text


def test_what_is_said_of_a_whole_file_comes_before_its_lines(tmp_path: Path) -> None:
    lines = [Damage("a.log", line, "bad_json", "no JSON") for line in range(1, 16)]
    whole = Damage("a.log", 0, "bad_compression", "the packed file is cut or broken")
    run = dataclasses.replace(loaded(sample_run(), tmp_path), damage=(*lines, whole))

    text = printed(run)

    (first, *_) = text.split("Damage in the log\n")[1].splitlines()
    assert "cut or broken" in first


def test_many_captures_are_cut_and_counted(tmp_path: Path) -> None:
    log = LogWriter()
    for id in range(100):
        log.torch_capture(id)
    text = printed(loaded(log, tmp_path))
    assert "100 captures of a backward, by cause" in text
    assert "!99" not in text
