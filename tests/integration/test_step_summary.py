"""The summary of a job in GitHub Actions."""

from __future__ import annotations

import re
from pathlib import Path

from tests.integration.conftest import Runner


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
