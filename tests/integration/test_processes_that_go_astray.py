"""Daemons, a clock set back, a run folder that goes, many at once: the training goes on."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.integration.conftest import Runner

PRELUDE = """
import os, shutil, sys, time, torch
weight = torch.ones(3, requires_grad=True)
def backward(exponent):
    (weight**exponent).sum().backward()
backward(2.0)
"""
REMOVED = """
shutil.rmtree(os.environ["CA_RUN"])
backward(3.0)
print("trained")
"""
SET_BACK = """
real, real_ns = time.time, time.time_ns
time.time = lambda: real() - 3600
time.time_ns = lambda: real_ns() - 3600 * 10**9
for exponent in (2.0, 3.0, 4.0):
    backward(exponent)
print("trained")
"""
DAEMON = """
if os.fork():
    sys.exit(3)
os.setsid()
if os.fork():
    os._exit(0)
null = os.open(os.devnull, os.O_RDWR)
for descriptor in (0, 1, 2):
    os.dup2(null, descriptor)
while not os.path.exists("root-ended"):
    time.sleep(0.05)
for exponent in (5.0, 6.0, 7.0):
    backward(exponent)
open("daemon-ends", "w").close()
"""
# All are alive at once: each waits until the last was started.
MANY = """
number = int(sys.argv[1])
wait, go = os.pipe()
children = []
for _ in range(number):
    child = os.fork()
    if not child:
        os.close(go)
        os.read(wait, 1)
        backward(2.0)
        backward(3.0)
        sys.exit(0)
    children.append(child)
os.close(go)
print({os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children})
"""


@pytest.fixture
def train(work: Path, ca: Runner) -> Any:
    def run(text: str, *arguments: str) -> Any:
        (work / "train.py").write_text(PRELUDE + text)
        options = ["--enable", "--backend", "eager", "-o", "run"]
        return ca("run", *options, "train.py", *arguments)

    return run


def document(ca: Runner) -> Any:
    return json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, (int, float)):
        yield value


def test_a_run_folder_that_is_removed(train: Any, work: Path) -> None:
    done = train(REMOVED)

    assert (done.code, done.stdout) == (0, "trained\n")
    folder = work / "run"
    assert done.stderr == (
        f"ca: the run folder was deleted, with all that was recorded: {folder}\n"
    )
    assert not folder.exists()


def test_a_clock_that_is_set_back(train: Any, ca: Runner) -> None:
    done = train(SET_BACK)

    assert (done.code, done.stdout) == (0, "trained\n")
    found = document(ca)
    assert found["summary"]["captures"] == 4
    assert 0 < found["summary"]["seconds_lost"] <= found["summary"]["seconds_total"] < 3000
    assert min(numbers(found["captures"])) >= 0


def test_a_daemon_is_recorded_beyond_the_run(train: Any, ca: Runner, work: Path) -> None:
    done = train(DAEMON)

    assert done.code == 3
    assert "1 backward" in done.stderr
    (work / "root-ended").touch()
    deadline = time.monotonic() + 60
    while not (work / "daemon-ends").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)  # its last record is written when the interpreter ends
    found = document(ca)
    assert len(found["processes"]) == 2
    assert found["summary"]["captures"] == 4
    assert not found["damage"]


@pytest.mark.parametrize("number", [12, pytest.param(200, marks=pytest.mark.long)])
def test_many_processes_at_once(train: Any, ca: Runner, number: int) -> None:
    done = train(MANY, str(number))

    assert (done.code, done.stdout) == (0, "{0}\n")
    found = document(ca)
    assert len(found["processes"]) == number + 1
    assert found["summary"]["backwards"] == 2 * number + 1
    # Other than in the parent's, the weight has a gradient by now.
    assert found["summary"]["captures"] == 2 * number + 1
    assert not found["damage"]
