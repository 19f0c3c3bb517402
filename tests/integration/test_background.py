"""`ca run --background-compile`: what it records, and what is left of a run that ends early."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ca_engine.compat import versions
from ca_engine.lowering import modes
from tests.integration.conftest import CA, TIMEOUT

pytestmark = pytest.mark.skipif(not modes.is_proven(), reason="lowering is off with this torch")

SCRIPT = """
import sys, time
import torch
from torch import nn

model = nn.Linear(4, 3)
x = torch.ones(2, 4)
compiled = torch.compile(backend="inductor")
with torch._dynamo.compiled_autograd._enable(compiled, dynamic=False):
    model(x).sum().backward()
    print("missed", flush=True)
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        model(x).sum().backward()
        time.sleep(0.02)
"""


# Without compiled autograd: a forward with its backward
FORWARD = """
import sys, time
import torch

f = torch.compile(lambda x: torch.nn.functional.gelu(x * 2).sum())
x = torch.ones(2, 4, requires_grad=True)
f(x).backward()
print("missed", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    f(x).backward()
    time.sleep(0.02)
"""


def started(folder: Path, seconds: float, script: str = SCRIPT) -> subprocess.Popen[str]:
    (folder / "train.py").write_text(script)
    (folder / "tmp").mkdir()
    environment = os.environ | {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
    }
    command = [str(CA), "run", "--background-compile", "-o", "run", "train.py", str(seconds)]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_in(folder: Path) -> list[int]:
    """Those that were started in ``folder`` and still run, or are zombies of ours."""
    return [
        int(each.name)
        for each in Path("/proc").iterdir()
        if each.name.isdigit() and _works_in(each, folder)
    ]


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False


def wait_until_alone(folder: Path) -> None:
    end = time.monotonic() + 60
    while processes_in(folder):
        assert time.monotonic() < end, processes_in(folder)
        time.sleep(0.2)


@pytest.mark.long
def test_a_run_that_ends_first_leaves_nothing_and_says_so(tmp_path: Path) -> None:
    run = started(tmp_path, 0.5)
    _, told = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 0, told
    assert "Not compiled in the background before the end: !0 and 1 more." in told
    wait_until_alone(tmp_path)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_nothing_is_left_of_a_run_that_is_killed(tmp_path: Path) -> None:
    run = started(tmp_path, TIMEOUT)
    assert run.stdout is not None
    assert run.stdout.readline() == "missed\n"
    # `ca run` becomes the program, and the other process is its child, soon after the miss.
    end = time.monotonic() + 60
    while len(processes_in(tmp_path)) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate(timeout=TIMEOUT)
    wait_until_alone(tmp_path)


@pytest.mark.long
def test_the_json_has_what_took_over(tmp_path: Path) -> None:
    run = started(tmp_path, 100)
    _, told = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 0, told
    command = [str(CA), "explain-recompiles", "--format", "json", "run"]
    found = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout
    first, second = (each["lowering"] for each in json.loads(found)["captures"])
    assert first["background"]["state"] == "compiling"  # its backward was the only one
    assert second["background"]["state"] == "ready"
    assert second["way"] == "l2"
    assert second["background"]["backwards"] > 1
    assert "Compiled 1 of 2 graphs in the background" in told


needs_forwards = pytest.mark.skipif(
    not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
)


@needs_forwards
@pytest.mark.long
def test_a_run_without_compiled_autograd_that_ends_first_leaves_nothing(tmp_path: Path) -> None:
    run = started(tmp_path, 0.5, FORWARD)
    _, told = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 0, told
    assert "Not compiled in the background before the end: 0/0." in told
    wait_until_alone(tmp_path)
    assert list((tmp_path / "tmp").iterdir()) == []


@needs_forwards
@pytest.mark.long
def test_when_a_run_without_compiled_autograd_reached_full_speed(tmp_path: Path) -> None:
    run = started(tmp_path, 100, FORWARD)
    _, told = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 0, told
    assert "Compiled 1 of 1 graph in the background, in " in told
    assert "full speed" in told
    shutil.rmtree(tmp_path / "run")
    shutil.rmtree(tmp_path / "tmp")
    again = started(tmp_path, 0, FORWARD)
    _, told = again.communicate(timeout=TIMEOUT)
    assert "Took 1 of 1 graph from the caches that an earlier start filled." in told
