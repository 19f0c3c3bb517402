"""Commands that are no Python script."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, PYTHON, clean_environment
from tests.integration.jobs import described, script

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner


def test_a_shell_script(work: Path, cold_ca: Runner, run_folder: Path) -> None:
    script(work / "job.sh", f'#!/bin/sh\necho "$1"; {PYTHON} -c "import os; '
           'print(os.environ[\'TORCH_TRACE\'])"; cat; exit 7\n')  # fmt: skip

    outcome = cold_ca("run", "--quiet", "-o", run_folder, "./job.sh", "--help", stdin="typed")

    assert outcome.stdout == f"--help\n{run_folder / 'trace'}\ntyped"
    assert outcome.code == 7
    assert described(run_folder)["exit_code"] == 7
    assert described(run_folder)["script"] == "./job.sh"


def test_python_as_a_command(work: Path, cold_ca: Runner) -> None:
    (work / "train.py").write_text("import sys; print(sys.argv)")

    outcome = cold_ca("run", "--quiet", "env", "A=b", PYTHON, "-u", "train.py", "x")

    assert outcome.stdout == "['train.py', 'x']\n"
    (folder,) = (work / "ca-runs").iterdir()
    assert folder.name.startswith("train-")


def test_a_file_that_is_executable_python_is_a_script(work: Path, cold_ca: Runner) -> None:
    script(work / "tool", "#!/usr/bin/env python3\nimport sys; print(sys.executable)\n")

    outcome = cold_ca("run", "--quiet", "./tool")

    assert outcome.stdout.rstrip() == PYTHON


def test_a_script_here_comes_before_a_command_of_that_name(work: Path, cold_ca: Runner) -> None:
    (work / "true").write_text("print('mine')")

    assert cold_ca("run", "--quiet", "true").stdout == "mine\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_a_command_that_dies_by_a_signal(
    work: Path, cold_ca: Runner, run_folder: Path, number: signal.Signals
) -> None:
    outcome = cold_ca("run", "--quiet", "-o", run_folder, "sh", "-c", f"kill -{number.value} $$")

    assert outcome.code == -number
    assert described(run_folder)["exit_code"] == 128 + number


def test_signals_are_handed_on(work: Path, run_folder: Path) -> None:
    text = "trap 'echo got it; exit 3' USR1; echo ready; while :; do sleep 0.05; done"
    command = [str(CA), "run", "--quiet", "-o", str(run_folder), "sh", "-c", text]
    with subprocess.Popen(
        command, cwd=work, env=clean_environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGUSR1)
        assert process.stdout.read() == "got it\n"
    assert process.returncode == 3
