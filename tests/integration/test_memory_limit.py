"""No more memory in the middle of a run: what fails is the program's or torch's, and is told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import ca_reports

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# Each backward has a structure of its own, so that it is captured: most of our work and of torch's.
# Whatever is raised is caught, as a loop that skips a batch does; where from is printed.
SCRIPT = """\
import resource, torch
torch.set_num_threads(1)
torch._dynamo.config.compiled_autograd = True
w = torch.randn(64, 64, requires_grad=True)

@torch.compile(backend="eager")
def backward(loss):
    loss.backward()

def step(operation, depth):
    y = torch.randn(4, 64) @ w
    for _ in range(depth):
        y = operation(y)
    backward(y.sum())
    w.grad = None

def limit(more):
    pages = int(open("/proc/self/statm").read().split()[0])
    size = pages * resource.getpagesize() + (more << 20)
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))

def innermost(error):
    found = error.__cause__ or error
    traceback = found.__traceback__
    while traceback.tb_next:
        traceback = traceback.tb_next
    return f"{type(found).__name__} in {traceback.tb_frame.f_code.co_filename}"

step(torch.sin, 1)
for more in (64, 32, 16):
    limit(more)
    for operation in (torch.cos, torch.tanh, torch.exp):
        try:
            step(operation, 40 + more)
        except Exception as error:
            print(innermost(error))
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for _ in range(3):
    step(torch.sin, 1)
print("the script is done")
raise SystemExit(5)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to RLIMIT_AS")
def test_the_script_goes_on_and_so_does_the_recording(
    work: Path, cold_ca: Runner, run_folder: Path
) -> None:
    (work / "train.py").write_text(SCRIPT)

    outcome = cold_ca("run", "--no-report", "-o", run_folder, "train.py")

    assert outcome.code == 5
    *failed, last = outcome.stdout.splitlines()
    assert last == "the script is done"
    assert failed
    # Nothing that only the recording needs kept the program from its backward.
    assert not [line for line in failed if "ca_engine" in line]
    run = ca_reports.load([run_folder])
    (process,) = run.processes
    assert process.end is not None
    assert process.backwards is not None
    # The first, and those once there was memory again; nothing of the log is torn.
    assert process.backwards.hits >= 2
    assert not run.damage
