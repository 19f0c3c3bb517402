"""How the page says that a run ended: before its exit code is known, and after."""

from __future__ import annotations

import re
import signal
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

SCRIPT = """
import os, signal, sys
import torch
from torch._dynamo import compiled_autograd

weight = torch.ones(2, requires_grad=True)
with compiled_autograd._enable(lambda graph: graph):
    (weight * 2).sum().backward()
{end}
"""
UNKNOWN = "ended without an exception"
KILLED = "killed, or ended by os._exit"


def said(page: Path) -> str:
    """What the page says last of what ran."""
    head = page.read_text("utf-8").partition("<nav")[0]
    told: list[str] = re.findall(r"<span>([^<]*)</span></p>", head)
    return told[-1]


@pytest.mark.parametrize(
    ("end", "code", "written", "later"),
    [
        pytest.param("", 0, UNKNOWN, "exit code 0", marks=pytest.mark.long),
        ("sys.exit(3)", 3, UNKNOWN, "exit code 3"),
        ("raise ValueError('no')", 1, "exit code 1", "exit code 1"),
        pytest.param(
            "os.kill(os.getpid(), signal.SIGTERM)",
            -signal.SIGTERM,
            KILLED,
            KILLED,
            marks=pytest.mark.long,
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, KILLED, KILLED),
        pytest.param("os._exit(3)", 3, KILLED, KILLED, marks=pytest.mark.long),
    ],
    ids=["0", "3", "exception", "SIGTERM", "SIGKILL", "_exit"],
)
def test_the_page_says_no_more_of_the_end_than_is_known(
    ca: Runner,
    work: Path,
    end: str,
    code: int,
    written: str,
    later: str,
) -> None:
    (work / "train.py").write_text(SCRIPT.format(end=end))
    outcome = ca("run", "--quiet", "-o", "run", "train.py")
    assert outcome.code == code
    page = work / "run" / "report.html"
    # A process that was killed does not wait for the one that completes its run.
    deadline = time.monotonic() + 120
    while not page.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert said(page) == written
    # Once the process is gone, the code is known to whoever writes the page anew.
    done = ca("report", "run")
    assert done.code == 0, done.stderr
    assert said(page) == later
