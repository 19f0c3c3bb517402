"""The commands of pipelines, as a pipeline calls them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.integration.conftest import Runner
from tests.unit.logwriter import LogWriter, sample_run
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder


@pytest.fixture
def sample(work: Path) -> Path:
    return run_folder(work / "run", sample_run())


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


# --- ca check -----------------------------------------------------------------------------


def test_without_settings(sample: Path, ca: Runner) -> None:
    outcome = ca("check", sample)

    assert outcome.code == 1
    assert "\nFailed: 4 findings.\nLost 21.9 s of 40.0 s (55%) to 4 causes. 10" in outcome.stdout
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


def test_summary_of_a_github_job(work: Path, sample: Path, ca: Runner) -> None:
    summary = work / "summary.md"
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}

    ca("check", sample, env=env)
    ca("diff", sample, sample, env=env)
    ca("explain-recompiles", sample, env=env)
    text = summary.read_text()
    quiet = ca("check", sample, env={"GITHUB_STEP_SUMMARY": str(work / "other.md")})

    assert re.findall("^### .*", text, re.M) == [
        "### ca check",
        "### ca diff",
        "### ca explain-recompiles",
    ]
    assert quiet.code == 1
    assert not (work / "other.md").exists()


def test_summary_that_is_full_or_not_there(work: Path, sample: Path, ca: Runner) -> None:
    full = work / "full.md"
    full.write_bytes(b"x" * ((1 << 20) - 10))
    lines = []
    for summary in (full, work / "no" / "summary.md"):
        env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
        outcome = ca("check", sample, "--max-captures", "9", env=env)
        assert outcome.code == 0
        lines.append(outcome.stderr)

    assert "the job summary is full" in lines[0]
    assert "no job summary: " in lines[1]
    assert full.stat().st_size == (1 << 20) - 10


# --- ca baseline --------------------------------------------------------------------------


def test_baseline_and_what_is_new_after_it(work: Path, ca: Runner) -> None:
    before = run_folder(work / "before", recapturing([3]))
    log = recapturing([3], line=77)
    log.compiled("4/0", 1.0)
    log.compiled("4/1", 2.0, recompile_reason="4/0: n == 1.0   # return y * n")
    after = run_folder(work / "after", log)

    written = ca("baseline", before)
    same = ca("check", before, "--baseline", "ca-baseline.json")
    more = ca("check", after, "--baseline", "ca-baseline.json")
    clean = ca("check", run_folder(work / "c", recapturing([])), "--baseline", "ca-baseline.json")

    assert written.stdout == "ca-baseline.json: 1 known finding\n"
    assert same.code == 0
    assert same.stdout.startswith("Passed: no new findings (1 known).\n")
    assert more.code == 1
    assert "Failed: 1 new finding." in more.stdout
    assert "CA206" not in more.stdout
    assert clean.code == 0
    assert "1 in the baseline is gone: CA206 in " in clean.stdout
    assert "--update`" in clean.stdout


def test_baseline_of_the_settings(work: Path, ca: Runner) -> None:
    (work / "ca.toml").write_text('baseline = "known.json"\n')
    run = run_folder(work / "run", recapturing([3]))

    missing = ca("check", run)
    written = ca("baseline", run)
    green = ca("check", run)

    assert missing.code == 2
    assert "`ca baseline` writes one" in missing.stderr
    assert written.stdout.endswith("known.json: 1 known finding\n")
    assert green.code == 0
    assert green.stderr == "ca: settings: ca.toml, baseline: known.json\n"


def test_baseline_overwrites_nothing_unasked(work: Path, ca: Runner) -> None:
    first = run_folder(work / "a", recapturing([3]))
    second = run_folder(work / "b", sample_run())
    ca("baseline", first)
    before = (work / "ca-baseline.json").read_text()
    (work / "package.json").write_text("{}")

    refused = ca("baseline", second)
    foreign = ca("baseline", second, "-o", "package.json", "--update")
    kept = (work / "ca-baseline.json").read_text()
    updated = ca("baseline", second, "--update")

    assert refused.code == foreign.code == 2
    assert "--update replaces it" in refused.stderr
    assert "is not a ca baseline" in foreign.stderr
    assert kept == before
    assert (work / "package.json").read_text() == "{}"
    assert updated.code == 0
    assert updated.stdout == "ca-baseline.json: 4 known findings, 3 of them new, 0 gone\n"


# --- ca diff ------------------------------------------------------------------------------


def test_diff(work: Path, ca: Runner) -> None:
    run_folder(work / "a", recapturing([3]))
    run_folder(work / "b", recapturing([3, 4], line=20))
    run_folder(work / "c", sample_run())

    plain = ca("diff", "a", "b")
    red = ca("diff", "a", "c", "--fail-on", "new", "--fail-on", "slower:10%")
    green = ca("diff", "c", "a", "--fail-on", "new,slower:10%")

    assert plain.code == green.code == 0
    assert "moved  CA206" in plain.stdout
    assert red.code == 1
    assert "Failed: 3 new findings; slower: " in red.stdout
    assert "Findings: 0 new, 3 gone" in green.stdout


def test_diff_as_files(work: Path, ca: Runner) -> None:
    run_folder(work / "a", recapturing([3]))
    run_folder(work / "c", sample_run())

    for format in ("json", "markdown", "html", "sarif", "junit", "github"):
        outcome = ca("diff", "a", "c", "--format", format, "-o", f"out.{format}")
        assert outcome.code == 0, outcome.stderr
    assert json.loads((work / "out.json").read_text())["base"] == {"name": "a", "is_run": True}
    assert (work / "out.html").read_text().startswith("<!DOCTYPE html>")


def test_diff_of_baselines(work: Path, ca: Runner) -> None:
    run_folder(work / "a", recapturing([3]))
    run_folder(work / "c", sample_run())
    ca("baseline", "a", "-o", "a.json")
    ca("baseline", "c", "-o", "c.json")

    outcome = ca("diff", "a.json", "c.json", "--fail-on", "new")
    slower = ca("diff", "a.json", "c.json", "--fail-on", "slower:10%")
    sarif = ca("diff", "a.json", "c.json", "--format", "sarif")

    assert outcome.code == 1
    assert "Failed: 3 new findings." in outcome.stdout
    assert slower.code == sarif.code == 2
    assert "needs two runs" in slower.stderr
    assert "HEAD is a baseline" in sarif.stderr


@pytest.mark.parametrize("what", ["old", "slower", "slower:fast", "slower:-1%", "new:3", ""])
def test_what_diff_cannot_fail_on(work: Path, ca: Runner, what: str) -> None:
    run_folder(work / "a", recapturing([3]))

    outcome = ca("diff", "a", "a", "--fail-on", what)

    assert outcome.code == 2
    assert "give new, or slower:10%" in outcome.stderr


def test_a_run_without_captures_is_no_improvement(work: Path, ca: Runner) -> None:
    run_folder(work / "a", recapturing([3]))
    log = LogWriter()
    log.ca_run(enabled=False)
    run_folder(work / "b", log)

    told, judged = ca("diff", "a", "b"), ca("diff", "a", "b", "--fail-on", "new")

    assert (told.code, judged.code, judged.stdout) == (0, 2, "")
    assert judged.stderr.startswith("ca: nothing to judge in b: No backward was captured")


# --- ca run --check -----------------------------------------------------------------------


def test_run_and_check(work: Path, ca: Runner) -> None:
    script = script_that_recaptures(work)

    red = ca("run", "--check", "--max-recaptures", "0", "-o", "red", script)
    green = ca("run", "--check", "--quiet", "--max-recaptures", "1", "-o", "green", script)

    assert (red.code, red.stdout) == (1, "trained\n")
    assert "max-recaptures: 1 recapture, at most 0 allowed (CA206)" in red.stderr
    assert "train.py:6  loss = model(torch.ones(2, 4)).pow(power).sum()" in red.stderr
    assert "red/report.html" in red.stderr
    assert json.loads((work / "red" / "run.json").read_text())["exit_code"] == 0
    assert (work / "red" / "report.html").is_file()
    assert (green.code, green.stdout, green.stderr) == (0, "trained\n", "")


def test_a_red_gate_is_not_quiet(work: Path, ca: Runner) -> None:
    script = script_that_recaptures(work)
    (work / "ca.toml").write_text("max-recaptures = 0\n")

    outcome = ca("run", "--check", "--quiet", "--no-report", "-o", "run", script)

    assert outcome.code == 1
    assert "Failed: 1 of 1 budget exceeded." in outcome.stderr
    assert "ca: settings: ca.toml" in outcome.stderr


def test_the_script_s_failure_wins(work: Path, ca: Runner) -> None:
    script = script_that_recaptures(work, "raise SystemExit(7)\n")

    outcome = ca("run", "--check", "--max-recaptures", "0", "-o", "run", script)

    assert outcome.code == 7
    assert "Failed" not in outcome.stderr
    assert json.loads((work / "run" / "run.json").read_text())["exit_code"] == 7


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
        (["--check", "--max-captures", "x"], "Invalid value for '--max-captures'"),
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
