"""`ca watch` in a real terminal, beside a run that goes on."""

from __future__ import annotations

import os
import select
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, clean_environment, take_signals
from tests.unit.logwriter import run_file, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

pty = pytest.importorskip("pty")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")


def take_terminal() -> None:
    """In the child: its standard input controls it, so that a typed Ctrl-C is a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    take_signals()


class Terminal:
    """A process in a pseudo-terminal, and all that it printed."""

    def __init__(self, work: Path, *args: str) -> None:
        self._main, other = pty.openpty()
        self.process = subprocess.Popen(
            [str(CA), *args], cwd=work, stdin=other, stdout=other, stderr=other,
            env=clean_environment({"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}),
            start_new_session=True, preexec_fn=take_terminal,
        )  # fmt: skip
        os.close(other)
        self.text = ""

    def wait_for(self, text: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < deadline, f"no {text!r} in {self.text[-2000:]!r}"
            self.read(0.2)

    def read(self, seconds: float) -> None:
        if select.select([self._main], [], [], seconds)[0]:
            try:
                self.text += os.read(self._main, 1 << 16).decode("utf-8", "replace")
            except OSError:  # the other end was closed
                time.sleep(seconds)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._main)


def write_run(work: Path, name: str, records: int, **more: object) -> Path:
    import json

    folder = work / "ca-runs" / name
    (folder / "trace").mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run_file(**more)))
    (folder / "trace" / "x.log").write_bytes(b"".join(sample_run().records[:records]))
    return folder


def test_it_waits_follows_changes_over_and_ends(work: Path) -> None:
    terminal = Terminal(work, "watch", "--interval", "0.1")
    try:
        terminal.wait_for("waiting for a run in ca-runs")
        write_run(work, "first", 6, end=None, exit_code=None, start=1.0)
        terminal.wait_for("running for")
        terminal.wait_for("No recaptures so far.")
        write_run(work, "first", 100, end=None, exit_code=None, start=1.0)
        terminal.wait_for("PowBackward0")
        # The job was started again.
        write_run(work, "second", 0, end=None, exit_code=None, start=2.0)
        terminal.wait_for("second")
        terminal.wait_for("No process has written a record yet.")
        write_run(work, "second", 100, start=2.0, end=9.0)
        terminal.wait_for("ended with exit code 0")
        assert terminal.process.wait(20) == 0
    finally:
        terminal.close()


def test_ctrl_c_leaves_it_quietly(work: Path) -> None:
    write_run(work, "first", 100, end=None, exit_code=None)
    terminal = Terminal(work, "watch", "--interval", "0.1")
    try:
        terminal.wait_for("PowBackward0")
        os.write(terminal._main, b"\x03")
        deadline = time.monotonic() + 20
        while terminal.process.poll() is None and time.monotonic() < deadline:
            terminal.read(0.1)
        assert terminal.process.returncode == 0
        assert "Traceback" not in terminal.text
    finally:
        terminal.close()


def test_once_and_a_pipe_print_one_view(work: Path, ca: Runner) -> None:
    write_run(work, "first", 100, end=None, exit_code=None)
    outcome = ca("watch")
    assert outcome.code == 0
    assert "PowBackward0" in outcome.stdout
    assert "7 hits" in outcome.stdout
    assert "\x1b" not in outcome.stdout
    assert (
        ca("watch", "--once", "ca-runs/first").stdout.splitlines()[1:3]
        == (outcome.stdout.splitlines()[1:3])
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-"], "only local files"),
        (["s3://bucket/run"], "only local files"),
        (["nowhere"], "no such file"),
        ([], "no run in ca-runs"),
        (["/proc/kmsg"], "a file of the kernel is not a log"),
        (["/dev/zero"], "a device or a pipe is not a log"),
        (["pipe"], "a device or a pipe is not a log"),
    ],
)
def test_what_cannot_be_watched(ca: Runner, work: Path, args: list[str], message: str) -> None:
    os.mkfifo(work / "pipe")
    outcome = ca("watch", "--once", *args)
    assert outcome.code == 2
    assert message in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1
