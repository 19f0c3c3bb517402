"""`ca diff` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.conftest import Runner
from tests.unit.logwriter import LogWriter, sample_run
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder

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
