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

def loss(exponent, api_key):
    return (weight**exponent).sum()

class Model(torch.nn.Module):
    scale = 1.0
    def forward(self, x, token):
        return x * self.scale if token else x

pin, unlock_code = "hunter2", "hunter2"
match unlock_code:
    case "hunter2":
        tokens = {"hf": "hunter2"}

model = torch.compile(Model(), backend="eager", dynamic=False)
for exponent in (2.0, 3.0):
    loss(exponent, api_key="hunter2").backward()
    model(torch.ones(3), token="hunter2" + str(exponent))
raise ValueError(f"cannot open {sys.argv[-1]} with password={os.environ['DB_PASSWORD']}")
"""
ARGUMENTS = [
    "--password=hunter2", "--token", "hunter2", "--card-pin", "hunter2", "--lr", "0.1", "-phunter2",
    "--api-key", "hunter2", "key=hunter2aaaaa12345aaaa", '{"api_key": "hunter2"}', "-p", "hunter2",
    "db.password=hunter2", "--data", "s3://AK:a/hunter2@bucket/x", "HF_TOKEN=hunter2",
    "--license", "hunter2", "--kms-key-id", "hunter2", "--unlock-code", "hunter2",
    "--hash-salt", "hunter2", "--tokens", '{"hf": "hunter2"}',
]  # fmt: skip
ENVIRONMENT = dict.fromkeys(("DB_PASSWORD", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY"), "hunter2")
URL = "https://me:hunter2@host/data"


# What writes is the same with either engine.
@pytest.mark.parametrize("engine", ["ca", pytest.param("torch", marks=pytest.mark.long)])
def test_nothing_that_is_written_holds_a_secret(work: Path, ca: Runner, engine: str) -> None:
    (work / "train.py").write_text(TRAIN)
    (work / "pyproject.toml").write_text('[tool.ca]\nsecrets = ["*_pin", "p"]\n')
    command = ["--enable", "--backend", "eager", "--engine", engine, "train.py", *ARGUMENTS, URL]

    done = ca("run", "-o", "run", *command, env=ENVIRONMENT)

    assert "hunter2" in done.stderr, "the script's own traceback stays as it is"
    files = [file for file in (work / "run").rglob("*") if file.is_file()]
    assert {file.name for file in files} > {"run.json", "report.html"}
    holding = [file.name for file in files if b"hunter2" in file.read_bytes()]
    traces = [file.name for file in (work / "run" / "trace").iterdir()]
    assert set(holding) <= set(traces), "torch quotes lines of source and values of guards there"
    assert "--lr" in (work / "run" / "run.json").read_text()
    for format in ("terminal", "json", "markdown", "sarif", "junit", "github"):
        told = ca("explain-recompiles", "run", "--format", format).stdout
        assert "CA703" in told
        assert "hunter2" not in told
    for format in ("html", "perfetto"):
        for more in ([], ["--share"]):
            ca("report", "run", "--format", format, "-o", "out", "--force", *more)
            assert "hunter2" not in (work / "out").read_text()
    ca("export", "run", "-o", "tables")
    for table in (work / "tables").iterdir():
        assert "hunter2" not in table.read_text()
    for command in (["watch", "--once"], ["graph"], ["check", "--max-captures", "0"], ["fix"]):
        assert "hunter2" not in ca(*command, "run").stdout


def test_our_records_in_the_traces_hold_no_argument_and_no_message(work: Path, ca: Runner) -> None:
    (work / "train.py").write_text(TRAIN.replace('="hunter2"', "=None"))
    (work / "pyproject.toml").write_text('[tool.ca]\nsecrets = ["*_pin", "p"]\n')

    ca("run", "-o", "run", "--enable", "--backend", "eager", "train.py", *ARGUMENTS, URL,
       env=ENVIRONMENT)  # fmt: skip

    for trace in (work / "run" / "trace").iterdir():
        assert "hunter2" not in trace.read_text()


def test_a_mistake_in_the_names_is_said_before_anything_runs(work: Path, ca: Runner) -> None:
    (work / "train.py").write_text("print('ran')")
    (work / "ca.toml").write_text("secrets = 'pin'\n")

    done = ca("run", "train.py")

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == (
        "ca: %s secrets must be a list of names such as [\"*_pin\"], not 'pin'\n"
        % (work / "ca.toml")
    )
