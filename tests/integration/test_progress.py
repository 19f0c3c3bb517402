"""The bar that shows how far reading has come: on a terminal, and only when it takes a while."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, clean_environment
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path

pty = pytest.importorskip("pty")

SLOWLY = 1.6  # seconds; the bar appears after one


def read_from_a_pipe(data: bytes, seconds: float, *, terminal: bool) -> tuple[bytes, str]:
    """Return what ``ca explain-recompiles -`` prints on a stderr that is a terminal or not."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        [CA, "explain-recompiles", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=theirs, env=clean_environment({"TERM": "xterm", "COLUMNS": "80"}),
    )  # fmt: skip
    os.close(theirs)
    assert process.stdin is not None
    for part in range(8):
        process.stdin.write(data[part * len(data) // 8 : (part + 1) * len(data) // 8])
        process.stdin.flush()
        time.sleep(seconds / 8)
    stdout, _ = process.communicate(timeout=60)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:
        pass  # so ends a terminal whose other side is closed
    os.close(ours)
    assert process.returncode == 0
    return shown, stdout.decode()


@pytest.fixture
def data(tmp_path: Path) -> bytes:
    log = sample_run()
    filler = LogWriter()
    filler.record("dump_file", {}, "x" * 100_000)
    log.records += filler.records * 40
    return log.write(tmp_path / "trace.log").read_bytes()


def test_a_bar_on_a_terminal_that_goes_away_again(data: bytes) -> None:
    shown, stdout = read_from_a_pipe(data, SLOWLY, terminal=True)

    assert b"reading 1 file" in shown
    assert shown.endswith(b"\x1b[2K") or shown.rstrip().endswith(b"\x1b[?25h")
    assert "reading" not in stdout
    assert "captures" in stdout


@pytest.mark.parametrize(("seconds", "terminal"), [(0.0, True), (SLOWLY, False)])
def test_no_bar_for_a_moment_or_for_nobody(data: bytes, seconds: float, terminal: bool) -> None:
    shown, stdout = read_from_a_pipe(data, seconds, terminal=terminal)

    assert shown == b""
    assert "captures" in stdout
