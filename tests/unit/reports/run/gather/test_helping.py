"""Whoever helps to read ends with the process that it helps."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ca_reports.run.gather.helping import can_fork

PROGRAM = """
import os, time
from ca_reports.run.gather.helping import end_with
parent = os.getpid()
if not os.fork():
    end_with(parent)
    print("helping", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not can_fork(), reason="helpers are forked")
@pytest.mark.timeout(60)
def test_a_helper_ends_when_its_process_is_killed() -> None:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "helping\n"
        process.kill()
        # Only when the helper has ended, too, nobody holds the other end of the pipe.
        assert process.stdout.read() == ""
