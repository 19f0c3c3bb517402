"""A disk that runs full in the middle of a run: the program must not notice."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

import ca_reports
from tests.integration.conftest import CA, Outcome, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """\
import sys, torch
torch._dynamo.config.compiled_autograd = True
w = torch.randn(8, 8, requires_grad=True)
@torch.compile(backend="eager")
def backward(loss):
    loss.backward()
for function in (torch.sin, torch.cos, torch.tanh, torch.exp):
    backward(function(torch.randn(4, 8) @ w).sum())
    w.grad = None
print("the script is done")
sys.exit(5)
"""


def limited(work: Path, blocks: int, *command: str | Path) -> Outcome:
    """Run in a shell in which no file can have more than ``blocks`` of 512 bytes."""
    line = shlex.join(str(part) for part in command)
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f {blocks} && exec {line}"], cwd=work, env=clean_environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.long
def test_the_script_goes_on_and_one_line_says_it(work: Path, run_folder: Path) -> None:
    (work / "train.py").write_text(SCRIPT)

    # Two captures fit.
    outcome = limited(work, 440, CA, "run", "--no-report", "-o", run_folder, "train.py")

    assert outcome.code == 5
    assert outcome.stdout == "the script is done\n"
    lines = outcome.stderr.splitlines()
    assert lines[0].startswith("ca: the recording ends here: File too large (")
    assert sum(line.startswith("ca:") for line in lines) == 1
    assert "Error" not in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert "the closing record is missing" in outcome.stderr
    run = ca_reports.load([run_folder])
    assert run.captures
    assert run.recorded[0].exit_code == 5
    # What was cut is named, with its file and line. Where the cut falls, in a record's head, its
    # JSON or its payload, depends on the lengths of this machine's paths.
    assert [found.kind for found in run.damage][-1] in (
        "not_a_record",
        "bad_json",
        "missing_payload",
        "md5_mismatch",
    )
    assert all(found.line for found in run.damage)


@pytest.mark.long
def test_a_file_system_of_its_own_that_is_full(work: Path) -> None:
    """ENOSPC, which other than a limit comes with the page, too."""
    (work / "train.py").write_text(SCRIPT)
    (work / "full").mkdir()
    mount = "mount -t tmpfs -o size=192k none full"
    steps = f"{mount} && {CA} run -o full/run train.py; echo $?; {CA} explain-recompiles full/run"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], cwd=work, check=False).returncode:
        pytest.skip("only root may mount")

    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", steps], cwd=work, env=clean_environment(),
        capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip

    assert done.stdout.startswith("the script is done\n5\n")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("ca: ")]
    assert lines[0].startswith("ca: the recording ends here: No space left on device (")
    # run.json's end and the page; the kept source where the trace has left no room for that
    assert 3 <= len(lines) <= 4
    assert all("No space left on device" in line for line in lines)


@pytest.mark.parametrize("quiet", [True, False])
def test_not_even_run_json_fits(work: Path, run_folder: Path, quiet: bool) -> None:
    (work / "train.py").write_text("print('never')")

    options = ["--quiet"] if quiet else []
    outcome = limited(work, 0, CA, "run", *options, "-o", run_folder, "train.py")

    # Nothing was started yet, so nothing is lost by saying so.
    assert outcome == Outcome(2, "", "ca: File too large\n")
