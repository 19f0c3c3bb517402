"""`ca env`: the environment of a recording."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

import ca_reports
from tests.integration.conftest import CA, clean_environment
from tests.integration.jobs import torchrun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner


@pytest.mark.long
def test_ca_env_records_what_it_does_not_start(job: Path, work: Path, cold_ca: Runner) -> None:
    line = " ".join([str(CA.with_name("torchrun")), *torchrun(2, "job.py", "ok")[1:]])
    script = f'eval "$({CA} env -o recorded)" && {line}'
    done = subprocess.run(
        ["sh", "-c", script], cwd=work, env=clean_environment(), capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run = ca_reports.load([work / "recorded"])
    assert [process.rank for process in run.processes] == [0, 1]
    assert run.recorded[0].command[:2] == ("ca", "env")
    outcome = cold_ca("explain-recompiles", "recorded")
    assert "rank 1 parts from rank 0 at step 3" in outcome.stdout


@pytest.mark.long
def test_ca_env_in_front_of_a_command(job: Path, work: Path) -> None:
    line = " ".join([str(CA.with_name("torchrun")), *torchrun(2, "job.py", "ok")[1:]])
    done = subprocess.run(
        ["sh", "-c", f"env $({CA} env -o recorded --format env) {line}"], cwd=work,
        env=clean_environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ca:" not in done.stderr
    run = ca_reports.load([work / "recorded"])
    assert [(process.rank, len(process.captures)) for process in run.processes] == [(0, 1), (1, 2)]


def test_the_formats_of_ca_env(work: Path, cold_ca: Runner) -> None:
    as_json = json.loads(cold_ca("env", "-o", "one", "--format", "json", "--enable").stdout)
    assert as_json["CA_RUN"] == str(work / "one")
    assert as_json["TORCH_TRACE"] == str(work / "one" / "trace")
    assert json.loads(as_json["CA_RUN_SETTINGS"])["enable"] is True
    lines = cold_ca("env", "-o", "two", "--format", "env").stdout.splitlines()
    assert f"CA_RUN={work / 'two'}" in lines
    outcome = cold_ca("env", "-o", "with space", env={"PYTHONPATH": "/my own"})
    done = subprocess.run(
        ["sh", "-c", outcome.stdout + 'echo "$CA_RUN|$PYTHONPATH"'],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    folder, _, path = done.stdout.strip().partition("|")
    assert folder == str(work / "with space")
    assert path.split(os.pathsep)[1:] == ["/my own"]
    refused = cold_ca("env", "-o", "a space", "--format", "env")
    assert refused.code == 2
    assert "cannot hold the space in" in refused.stderr


def test_ca_env_twice_records_into_the_second(work: Path, cold_ca: Runner) -> None:
    first = json.loads(cold_ca("env", "-o", "one", "--format", "json").stdout)
    second = json.loads(cold_ca("env", "-o", "two", "--format", "json", env=first).stdout)

    assert second["CA_RUN"] == str(work / "two")
    assert second["PYTHONPATH"] == first["PYTHONPATH"]
    assert second["CA_RUN_SETTINGS"] == "{}"
