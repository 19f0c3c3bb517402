"""`ca report` from outside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.conftest import Outcome

if TYPE_CHECKING:
    from tests.integration.conftest import Runner


def test_report_goes_into_the_run_and_may_be_written_again(
    ca: Runner, run: Path, work: Path
) -> None:
    shown = f"ca-runs/{run.name}/report.html"

    assert ca("report") == Outcome(0, f"{shown}\n", "")
    assert ca("report") == Outcome(0, f"{shown}\n", "")
    assert (work / shown).read_text().startswith("<!doctype html>")


def test_report_of_bare_logs_goes_here(ca: Runner, run: Path, work: Path) -> None:
    assert ca("report", run / "trace") == Outcome(0, "report.html\n", "")
    assert (work / "report.html").exists()


def test_report_overwrites_no_file_of_the_users(ca: Runner, run: Path, work: Path) -> None:
    mine = work / "page.html"
    mine.write_text('<meta name="generator" content="carrot 1.0">my page')

    refused = ca("report", run, "-o", "page.html")

    assert refused.code == 2
    assert refused.stderr == "ca: page.html was not written by ca: --force overwrites it\n"
    assert mine.read_text().endswith("my page")
    assert ca("report", run, "-o", "page.html", "--force").code == 0
    assert not mine.read_text().endswith("my page")
