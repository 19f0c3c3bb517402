"""A program in no file: what `ca` says of it, and that it runs as under the plain interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

PROGRAM = """\
import torch

@torch.compile(backend="eager")
def scaled(x, scale):
    return (x * scale).sum()

for step in range(2):
    scale = 0.5 + step
    scaled(torch.ones(3), scale)
"""
# What it finds at its stdin after its own text.
READS = """\
import os, stat, sys
print(sys.stdin.read(), stat.S_ISFIFO(os.fstat(0).st_mode), sys.argv)
"""


def run(work: Path, *command: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=stdin, capture_output=True, check=True, cwd=work, env=clean_environment()
    )


def test_the_text_after_c_has_lines_and_a_patch(work: Path, ca: Runner) -> None:
    done = ca("run", "--no-report", "-o", "run", "-c", PROGRAM)
    assert "-c:8  scale = 0.5 + step" in done.stderr
    patch = ca("fix", "run").stdout
    assert "+++ b/-c\n" in patch
    assert "+    scaled(torch.ones(3), torch.tensor(scale))\n" in patch


def test_a_piped_program_has_lines_and_a_patch(work: Path, ca: Runner) -> None:
    piped = [str(CA), "run", "--no-report", "-o", "run", "-"]
    done = run(work, *piped, stdin=PROGRAM.encode())
    assert b"<stdin>:8  scale = 0.5 + step" in done.stderr
    assert "+    scaled(torch.ones(3), torch.tensor(scale))\n" in ca("fix", "run").stdout


@pytest.mark.parametrize(
    "text",
    [READS, "x = 1\n" * 50_000 + READS, "x = 1\n" * 250_000 + READS],
    ids=["short", "300 KB", "1.5 MB"],
)
def test_stdin_is_the_programs_as_ever(work: Path, text: str) -> None:
    plain = run(work, sys.executable, "-", "one", stdin=text.encode())
    recorded = run(work, str(CA), "run", "--quiet", "-", "one", stdin=text.encode())
    assert recorded.stdout == plain.stdout
