"""The commands of pipelines, as a pipeline calls them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.integration.conftest import Runner
from tests.unit.logwriter import LogWriter, sample_run
from tests.unit.reports.written import run_folder


def script_that_recaptures(work: Path, more: str = "") -> str:
    (work / "train.py").write_text(
        "import torch\n"
        "from torch._dynamo import compiled_autograd\n"
        "model = torch.nn.Linear(4, 4)\n"
        "def main():\n"
        "    for power in (2, 3):\n"
        "        loss = model(torch.ones(2, 4)).pow(power).sum()\n"
        "        with compiled_autograd._enable(torch.compile(backend='eager')):\n"
        "            loss.backward()\n"
        "        model.zero_grad(set_to_none=False)\n"
        "main()\n"
        "print('trained')\n" + more
    )
    return "train.py"


def script_with_a_trace(work: Path, more: str = "") -> str:
    """Write a script that leaves the trace of a training without running it: torch takes seconds.

    It has two recaptures.
    """
    sample_run().write(work / "kept" / "dedicated_log_torch_trace_x.log")
    (work / "train.py").write_text(
        "import os, shutil\n"
        "shutil.copytree('kept', os.environ['CA_RUN'] + '/trace', dirs_exist_ok=True)\n"
        "print('trained')\n" + more
    )
    return "train.py"


# --- ca check -----------------------------------------------------------------------------


def test_without_settings(sample: Path, ca: Runner) -> None:
    outcome = ca("check", sample)

    assert outcome.code == 1
    lost = "Lost 21.9 s of the 40.0 s it ran (55%) to 4 causes. 10"
    assert f"\nFailed: 4 findings.\n{lost}" in outcome.stdout
    assert "CA206 PowBackward0 exponent 2 → 3" in outcome.stdout
    assert outcome.stderr == ("ca: no settings found: any warning or error fails\n")


def test_flags(sample: Path, ca: Runner) -> None:
    red = ca("check", sample, "--max-recaptures", "1", "--max-captures", "3")
    green = ca("check", sample, "--max-recaptures", "2")

    assert red.code == 1
    assert red.stdout.startswith("max-recaptures: 2 recaptures, at most 1 allowed (CA206, CA202)\n")
    assert "Failed: 1 of 2 budgets exceeded." in red.stdout
    assert (green.code, green.stderr) == (0, "")
    assert green.stdout.startswith("Passed: 2 recaptures, at most 2.\n")


def test_settings_file_and_flags_over_it(work: Path, sample: Path, ca: Runner) -> None:
    (work / "pyproject.toml").write_text("[tool.ca]\nmax-recaptures = 1\nmax-captures = 9\n")
    below = work / "below"
    below.mkdir()

    red = ca("check", sample, cwd=below)
    green = ca("check", sample, "--max-recaptures", "5")

    assert red.code == 1
    assert red.stderr == f"ca: settings: {work}/pyproject.toml\n"
    assert green.code == 0
    assert green.stderr == "ca: settings: pyproject.toml\n"
    assert green.stdout.startswith("Passed: 3 captures, at most 9; 2 recaptures, at most 5.\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max-recapture = 1", "did you mean max-recaptures?"),
        ("max-recaptures = 'none'", "must be a whole number"),
        ("max-recaptures", "is not valid TOML"),
    ],
)
def test_settings_that_cannot_be_meant(
    work: Path, sample: Path, ca: Runner, text: str, message: str
) -> None:
    (work / "ca.toml").write_text(text)

    outcome = ca("check", sample)

    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--max-recaptures", "-1"],
        ["--max-recaptures", "few"],
        ["--max-lost-share", "7"],
        ["--select", "CA999"],
        ["--format", "html"],
        ["--baseline", "none.json"],
        ["--config", "none.toml"],
        ["-o", "."],
        ["-o", "nowhere/out.txt"],
    ],
)
def test_wrong_arguments(sample: Path, ca: Runner, arguments: list[str]) -> None:
    outcome = ca("check", sample, *arguments)

    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("ca: ")
    assert outcome.stderr.count("\n") == 1


def test_nothing_to_read_and_nothing_to_check(work: Path, ca: Runner) -> None:
    missing = ca("check", "nowhere")
    none = ca("check")
    log = LogWriter()
    log.ca_run(enabled=False)
    empty = ca("check", run_folder(work / "run", log), "--max-recaptures", "0")

    assert [missing.code, none.code, empty.code] == [2, 2, 2]
    assert "record one with `ca run train.py`" in none.stderr
    assert "ca: nothing to check: No backward was captured" in empty.stderr


def test_a_log_without_times_is_no_green_gate(work: Path, ca: Runner) -> None:
    log = LogWriter()
    log.torch_capture(0, ["!0: first"])
    log.torch_capture(1, ["!0: first", "!1: Cache miss due to changed shapes"])
    path = log.write(work / "dedicated_log_torch_trace_x.log")

    outcome = ca("check", path, "--max-seconds-lost", "100")

    assert outcome.code == 2
    assert "max-seconds-lost cannot be checked" in outcome.stderr


def test_formats_to_files(work: Path, sample: Path, ca: Runner) -> None:
    for format in ("json", "markdown", "sarif", "junit", "github", "terminal"):
        file = work / f"out.{format}"
        outcome = ca("check", sample, "--format", format, "-o", file)
        assert (outcome.code, outcome.stdout) == (1, "")
        assert f"wrote {file}" in outcome.stderr
        assert file.stat().st_size > 100
    assert json.loads((work / "out.json").read_text())["ok"] is False
    assert json.loads((work / "out.sarif").read_text())["version"] == "2.1.0"
    ElementTree.parse(work / "out.junit")


# --- ca run --check -----------------------------------------------------------------------


def test_run_and_check(work: Path, ca: Runner) -> None:
    red = ca("run", "--check", "--max-recaptures", "0", "-o", "red", script_that_recaptures(work))

    assert (red.code, red.stdout) == (1, "trained\n")
    assert "max-recaptures: 1 recapture, at most 0 allowed (CA206)" in red.stderr
    assert "train.py:6  loss = model(torch.ones(2, 4)).pow(power).sum()" in red.stderr
    assert "red/report.html" in red.stderr
    assert json.loads((work / "red" / "run.json").read_text())["exit_code"] == 0
    assert (work / "red" / "report.html").is_file()


def test_a_green_gate_is_quiet(work: Path, ca: Runner) -> None:
    script = script_with_a_trace(work)

    outcome = ca("run", "--check", "--quiet", "--max-recaptures", "2", "-o", "run", script)

    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "trained\n", "")


def test_a_red_gate_is_not_quiet(work: Path, ca: Runner) -> None:
    script = script_with_a_trace(work)
    (work / "ca.toml").write_text("max-recaptures = 0\n")

    outcome = ca("run", "--check", "--quiet", "--no-report", "-o", "run", script)

    assert outcome.code == 1
    assert "Failed: 1 of 1 budget exceeded." in outcome.stderr
    assert "ca: settings: ca.toml" in outcome.stderr


def test_the_script_s_failure_wins(work: Path, ca: Runner) -> None:
    script = script_with_a_trace(work, "raise SystemExit(7)\n")

    outcome = ca("run", "--check", "--max-recaptures", "0", "-o", "run", script)

    assert outcome.code == 7
    assert "Failed" not in outcome.stderr
    assert json.loads((work / "run" / "run.json").read_text())["exit_code"] == 7


@pytest.mark.long
def test_a_launcher_can_be_checked(work: Path, ca: Runner) -> None:
    script = script_that_recaptures(work)
    (work / "job.sh").write_text(f"#!/bin/sh\nexec {sys.executable} {script}\n")
    (work / "job.sh").chmod(0o755)

    outcome = ca("run", "--check", "--quiet", "--max-recaptures", "0", "./job.sh")

    assert (outcome.code, outcome.stdout) == (1, "trained\n"), outcome.stderr
    assert "Failed: 1 of 1 budget exceeded." in outcome.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-recaptures", "0"], "--max-recaptures needs --check"),
        (["--check", "--baseline", "none.json"], "`ca baseline` writes one"),
        (["--check", "--select", "CA999"], "unknown rule"),
        (["--check", "--max-captures", "x"], "--max-captures: Input should be a valid integer"),
    ],
)
def test_a_mistake_is_told_before_the_training(
    work: Path, ca: Runner, options: list[str], message: str
) -> None:
    (work / "train.py").write_text("open('began', 'w')\n")

    outcome = ca("run", *options, "train.py")

    assert outcome.code == 2
    assert message in outcome.stderr
    assert not (work / "began").exists()
    assert not (work / "ca-runs").exists()


def test_nothing_recorded_is_no_green_gate(work: Path, ca: Runner) -> None:
    (work / "train.py").write_text("print('no torch')\n")

    outcome = ca("run", "--check", "train.py")

    assert (outcome.code, outcome.stdout) == (2, "no torch\n")
    assert outcome.stderr == "ca: nothing to check: nothing was recorded\n"
