"""A secret of the command line is in no file that a recording leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

TRAIN = """
import os, sys, torch
weight = torch.ones(3, requires_grad=True)
for exponent in (2.0, 3.0):
    (weight**exponent).sum().backward()
raise ValueError(f"cannot open {sys.argv[-1]} with password={os.environ['DB_PASSWORD']}")
"""
ARGUMENTS = ["--password=hunter2", "--token", "hunter2", "--card-pin", "hunter2", "--lr", "0.1"]
URL = "https://me:hunter2@host/data"


@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_nothing_that_is_written_holds_a_secret(work: Path, ca: Runner, engine: str) -> None:
    (work / "train.py").write_text(TRAIN)
    (work / "pyproject.toml").write_text('[tool.ca]\nsecrets = ["*_pin"]\n')
    command = ["--enable", "--backend", "eager", "--engine", engine, "train.py", *ARGUMENTS, URL]

    done = ca("run", "-o", "run", *command, env={"DB_PASSWORD": "hunter2"})

    assert "hunter2" in done.stderr, "the script's own traceback stays as it is"
    files = [file for file in (work / "run").rglob("*") if file.is_file()]
    assert {file.name for file in files} > {"run.json", "report.html"}
    holding = [file.name for file in files if b"hunter2" in file.read_bytes()]
    assert holding == []
    assert "--lr" in (work / "run" / "run.json").read_text()
    for format in ("json", "markdown", "sarif"):
        assert "hunter2" not in ca("explain-recompiles", "run", "--format", format).stdout


def test_a_mistake_in_the_names_is_said_before_anything_runs(work: Path, ca: Runner) -> None:
    (work / "train.py").write_text("print('ran')")
    (work / "ca.toml").write_text("secrets = 'pin'\n")

    done = ca("run", "train.py")

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == (
        "ca: %s secrets must be a list of names such as [\"*_pin\"], not 'pin'\n"
        % (work / "ca.toml")
    )
