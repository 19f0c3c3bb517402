"""Storage on which each write takes 100 ms: the training does not wait for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import ca_reports
from benchmarks import storage
from tests.integration.conftest import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what a file is")

SECONDS = 0.1

TRAIN = """
import os, torch
torch._dynamo.config.compiled_autograd = True
x = torch.ones(3, requires_grad=True)
@torch.compile(backend="eager")
def backward(loss):
    loss.backward()
def train(operations):
    for operation in operations:
        for _ in range(5):
            backward(operation(x).sum())
            x.grad = None
train([torch.sin, torch.cos])
"""
FORKS = """
child = os.fork()  # with -W error it is one, if there is a thread
if not child:
    train([torch.tanh])
    raise SystemExit
train([torch.exp])
assert os.waitpid(child, 0)[1] == 0
print("trained")
"""
IS_KILLED = """
import pathlib, time
for operation in [torch.sin, torch.tanh] * 1000:
    train([operation])
    with open("ended", "a") as file:
        file.write(f"{time.time()}\\n" * 5)
    time.sleep(0.02)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return storage.preload(tmp_path_factory.mktemp("preload"))
    except OSError:
        pytest.skip("there is no C compiler")


@pytest.mark.long
def test_the_training_does_not_wait(
    library: Path, work: Path, run_folder: Path, run_ca: Runner
) -> None:
    (work / "train.py").write_text(TRAIN + "print('trained')")

    done = run_ca("train.py", env=storage.slowed(library, run_folder, SECONDS))

    assert (done.code, done.stdout, done.stderr) == (0, "trained\n", "")
    by_main, by_others = storage.counts(run_folder)
    assert by_main <= storage.MOST_WAITED_FOR
    assert by_others
    run = ca_reports.load([run_folder])
    (process,) = run.processes
    assert not run.damage
    assert len(process.captures) == 2
    assert process.backwards is not None
    assert list(process.backwards.steps) == list(range(10))
    assert process.end is not None


@pytest.mark.long
def test_a_forked_child_and_its_parent_lose_nothing(
    library: Path, work: Path, run_folder: Path, run_ca: Runner
) -> None:
    (work / "train.py").write_text(TRAIN + FORKS)

    done = run_ca(
        "-W", "error::DeprecationWarning:__main__", "train.py",
        env=storage.slowed(library, run_folder, SECONDS),
    )  # fmt: skip

    assert (done.code, done.stdout, done.stderr) == (0, "trained\n", "")
    run = ca_reports.load([run_folder])
    assert not run.damage
    rows = [process.backwards for process in run.processes]
    assert sorted(0 if found is None else len(found.steps) for found in rows) == [5, 15]
    assert all(process.end is not None for process in run.processes)


@pytest.mark.long
def test_what_a_killed_process_loses_is_a_second_and_two_writes(
    library: Path, work: Path, run_folder: Path
) -> None:
    (work / "train.py").write_text(TRAIN + IS_KILLED)
    slow = storage.slowed(library, run_folder, SECONDS)
    command = [sys.executable, "-m", "ca_cli", "run", "--quiet", "-o", str(run_folder), "train.py"]
    process = subprocess.Popen(command, cwd=work, env=clean_environment(slow))
    try:
        deadline = time.monotonic() + 120
        while not (work / "ended").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(2.5)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    ended = [float(line) for line in (work / "ended").read_text().splitlines()]
    (read,) = ca_reports.load([run_folder]).processes
    assert read.backwards is not None
    steps = list(read.backwards.steps)
    assert steps == list(range(len(steps)))
    # The first ten are not in the file; a busy machine is granted another second.
    lost = ended[len(steps) - 10 :]
    assert not lost or lost[-1] - lost[0] <= 1 + 2 * SECONDS + 1, f"{len(lost)} backwards"
