"""A process that a signal ends: its run is completed all the same, and it does not notice."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, execute

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open")

NOTHING = "ca: nothing was recorded: no process of this run imported torch._dynamo\n"

# As uvicorn does: it shuts down in its own handler, and then is ended as by the signal.
SERVER = """
import os, signal
stopped = []
def handle(number, frame):
    stopped.append(number)
before = signal.signal(signal.SIGTERM, handle)
assert before is signal.SIG_DFL
{work}
os.kill(os.getpid(), signal.SIGTERM)
assert stopped
signal.signal(signal.SIGTERM, before)
signal.raise_signal(signal.SIGTERM)
"""
RECOMPILES = """
import torch
scaled = torch.compile(lambda x, scale: x * scale, backend="eager")
for scale in (0.5, 0.7):
    scaled(torch.ones(2), scale)
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os._exit(3)", 3),
        ("sys.exit(3)", 3),
    ],
    ids=["SIGTERM", "SIGKILL", "_exit", "in order"],
)
def test_a_run_is_completed_once_however_it_ends(work: Path, end: str, code: int) -> None:
    (work / "script.py").write_text(f"import os, signal, sys\n{end}\n")
    done = execute([CA, "run", "-o", "run", "script.py"], cwd=work)
    assert (done.code, done.stdout, done.stderr) == (code, "", NOTHING)
    assert json.loads((work / "run" / "run.json").read_text())["end"] is not None


def test_a_server_that_raises_its_signal_again_has_a_summary_and_a_page(work: Path) -> None:
    (work / "serve.py").write_text(SERVER.format(work=RECOMPILES))
    done = execute([CA, "run", "-o", "run", "serve.py"], cwd=work)
    assert done.code == -signal.SIGTERM
    assert "CA702 `scale`: 0.5 → 0.7" in done.stderr
    assert "was killed, or called os._exit" in done.stderr
    assert "killed, or ended by os._exit" in (work / "run" / "report.html").read_text("utf-8")


def test_the_script_has_no_child_that_it_did_not_start(work: Path, same: Runner) -> None:
    text = """
import os
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError as error:
    print(error.strerror)
print(len(os.listdir("/proc/self/fd")), os.getpgrp() == os.getpgid(os.getppid()))
"""
    (work / "script.py").write_text(text)
    assert same("script.py").stdout.startswith("No child processes\n")
