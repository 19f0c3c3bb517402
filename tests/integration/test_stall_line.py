"""The line in the terminal while a compile makes the program wait, through a real terminal."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path

import pytest

from tests.integration.conftest import clean_environment
from tests.screen import Screen

# What is compiled takes as long as the program says, and nothing else does. The line appears after
# two seconds.
BEGIN = """
import sys, time, torch

def slow(module, inputs):
    time.sleep(2.5)
    return module

def loss_of(x, temperature):
    return (x * temperature).sum()

fast = torch.compile(loss_of, backend=slow, dynamic=False)
"""
# The same without torch, whose import takes seconds: each call does what its first one did.
PLAIN_BEGIN = """
import sys

class torch:
    def ones(*sizes): pass
    def compile(function, backend, **settings): return lambda *inputs: backend(function, inputs)

def slow(module, inputs): pass
loss_of = None
fast = torch.compile(loss_of, backend=slow)
"""
PRINTS = (
    BEGIN
    + """
print("a line that is begun: ", end="", flush=True)
fast(torch.ones(3), 0.9)
print("and gone on with")

def chatty(module, inputs):
    for number in range(30):
        time.sleep(0.1)
        print("tuning", number, file=sys.stderr)
    return slow(module, inputs)

torch.compile(loss_of, backend=chatty, dynamic=False)(torch.ones(3), 0.8)
fast(torch.ones(3), 0.8)
print("done")
"""
)
TQDM = (
    BEGIN
    + """
from tqdm import tqdm
looks = {"ncols": 60, "bar_format": "{desc} {n}/{total}"}
for epoch in tqdm(range(2), desc="epochs", position=0, **looks):
    for step in tqdm(range(2), desc="steps", position=1, leave=False, **looks):
        fast(torch.ones(3), 0.9 - epoch / 10)
print("done")
"""
)
RICH = (
    BEGIN
    + """
from rich.progress import Progress, TextColumn
with Progress(TextColumn("{task.description} {task.completed}/{task.total}")) as progress:
    task, other = progress.add_task("training", total=2), progress.add_task("data", total=2)
    for step in range(2):
        fast(torch.ones(3), 0.9 - step / 10)
        progress.advance(task)
        progress.console.print("step", step)
print("done")
"""
)


def in_terminal(*command: str, cwd: Path) -> tuple[list[str], list[str]]:
    """Run a command in a terminal of 80 by 24; return the last screen, and all lines of ours."""
    master, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = clean_environment() | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    child = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=cwd, env=environment
    )
    os.close(terminal)
    screen, ours = Screen(), []
    while True:
        try:
            data = os.read(master, 1 << 16)
        except OSError:  # the child has ended
            break
        if not data:
            break
        screen.feed(data.decode())
        ours += [line for line in screen.lines if line.startswith("ca: compiling")]
    os.close(master)
    assert child.wait() == 0, screen.lines
    return screen.lines, list(dict.fromkeys(ours))


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(PRINTS, id="prints", marks=pytest.mark.long),
        pytest.param(TQDM, id="tqdm"),
        pytest.param(RICH, id="rich", marks=pytest.mark.long),
    ],
)
def test_a_stall_is_said_and_leaves_nothing_behind(
    tmp_path: Path, commands: Path, program: str
) -> None:
    # What it prints by itself needs no wait.
    plain_program = program.replace(BEGIN, PLAIN_BEGIN).replace("time.sleep", "float")
    (tmp_path / "plain.py").write_text(plain_program)
    plain, none = in_terminal(sys.executable, "plain.py", cwd=tmp_path)
    assert not none
    (tmp_path / "train.py").write_text(program)
    ca = [str(commands / "ca"), "run", "--no-report", "-o", "run"]
    shown, ours = in_terminal(*ca, "train.py", cwd=tmp_path)
    end = next(number for number, line in enumerate(shown) if line.startswith("ca ──"))
    assert shown[:end] == plain
    assert all(line.endswith(" s so far") for line in ours)
    for told in ("loss_of", "loss_of, the 2nd time: temperature 0.9 → 0.8"):
        assert any(line.startswith(f"ca: compiling {told}, ") for line in ours), ours


@pytest.mark.long
def test_quiet_runs_and_pipes_have_none(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BEGIN + "fast(torch.ones(3), 0.9)\n")
    ca = [sys.executable, "-m", "ca_cli", "run", "--no-report"]
    shown, ours = in_terminal(*ca, "--quiet", "-o", "quiet", "train.py", cwd=tmp_path)
    assert (shown, ours) == ([], [])
    done = subprocess.run(
        [*ca, "-o", "piped", "train.py"],
        capture_output=True, text=True, check=True, cwd=tmp_path, env=clean_environment(),
    )  # fmt: skip
    assert "compiling" not in done.stderr
