"""Whether a process is the one that it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ca_engine.incarnation import incarnation_of

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux tells it")


def test_a_process_is_itself_until_it_ends() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    first = incarnation_of(child.pid)
    assert first is not None
    assert first == incarnation_of(child.pid) != incarnation_of(os.getpid())
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet waited for
    assert incarnation_of(child.pid) is None
    child.wait()
    assert incarnation_of(child.pid) is None
