"""SIGKILL at any moment: what is lost, and that it is said."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import ca_reports
from tests import warm
from tests.integration.conftest import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 100

# Forks a child for each kill, as importing torch would take most of the time. A child writes
# when each of its backwards ended into a file of its own.
PROGRAM = """
import os, random, signal, sys, time
from pathlib import Path
import torch, torch._dynamo
import ca_engine
from ca_engine import trace

def train(folder):
    ended = os.open(folder / "ended", os.O_WRONLY | os.O_CREAT)
    operations = [torch.sin, torch.cos, torch.tanh, torch.exp]
    x = torch.ones(3, requires_grad=True)
    with trace.written_to(folder / "trace"):
        ca_engine.install()
        ca_engine.enable(lambda module: module)
        for step in range(1_000_000):
            operations[min(step // 50, 3)](x).sum().backward()
            os.write(ended, f"{time.time()!r}\\n".encode())
            time.sleep(0.005)

kills, folder, longest = int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
random.seed(20)
for number in range(kills):
    own = folder / str(number)
    (own / "trace").mkdir(parents=True)
    child = os.fork()
    if not child:
        train(own)
    begun = own / "ended"
    while not begun.exists() or not begun.stat().st_size:
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "the child ended by itself"
        time.sleep(0.01)
    time.sleep(random.uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_at_most_a_second_of_backwards_is_lost(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script), str(KILLS), str(tmp_path / "runs"), "2.5"]
    subprocess.run(command, check=True, env=clean_environment(), timeout=850)

    for folder in (tmp_path / "runs").iterdir():
        (log,) = (folder / "trace").iterdir()
        steps, is_damaged = read(log)
        ended = [float(line) for line in (folder / "ended").read_text().split()]
        assert steps == list(range(len(steps)))
        # The one in flight may be recorded, and not be in the other file.
        assert len(steps) <= len(ended) + 1
        lost = ended[len(steps) :]
        assert not lost or lost[-1] - lost[0] <= 1.1, f"{len(lost)} backwards"
        assert is_damaged or log.read_bytes().endswith(b"\n")


def read(log: Path) -> tuple[list[int], bool]:
    """The steps of the backwards that a log tells of, and whether the reader misses something."""
    run = ca_reports.load([log])
    (process,) = run.processes
    rows = process.backwards
    return ([] if rows is None else list(rows.steps)), bool(run.damage)


def test_a_torn_last_record_is_said(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script), "1", str(tmp_path / "runs"), "1.5"]
    warm.python().run(command, cwd=tmp_path, env=clean_environment()).check_returncode()
    (log,) = (tmp_path / "runs" / "0" / "trace").iterdir()
    content = log.read_bytes()
    last = content.rindex(b"\nV") + 1
    log.write_bytes(content[:last])
    before = read(log)
    assert before == (before[0], False)

    for length in (last + 20, last + 200, len(content) - 10):
        log.write_bytes(content[:length])
        assert read(log) == (before[0], True)
