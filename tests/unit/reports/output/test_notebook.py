"""A recording as a notebook shows it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from ca_reports.output.notebook import SHOWN, mimebundle
from tests.unit.reports.gates.made import nasty, recapturing
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_the_findings_and_where_to_see_more(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run", recapturing([3]))
    shown = mimebundle(folder, tmp_path)
    assert set(shown) == {"text/plain", "text/html"}
    assert "CA206" in shown["text/plain"]
    assert "<strong>CA206</strong>" in shown["text/html"]
    assert f"<code>ca report {folder}</code>" in shown["text/html"]
    assert "\x1b" not in shown["text/plain"]


def test_before_the_first_record_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    shown = mimebundle(tmp_path / "run", tmp_path)
    assert shown["text/plain"] == f"Nothing recorded in {tmp_path / 'run'} yet."
    assert shown["text/html"].startswith("<p>Nothing recorded in")


def test_of_many_findings_the_first_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    logs = [recapturing([3], line=11 + rank, rank=rank) for rank in range(SHOWN + 2)]
    page = mimebundle(run_folder(tmp_path / "run", *logs), tmp_path)["text/html"]
    assert page.count("<strong>CA206</strong>") == SHOWN
    assert "and 2 more findings" in page


def test_a_log_puts_no_element_into_the_cell(tmp_path: Path) -> None:
    nasty(tmp_path / "run")
    page = mimebundle(tmp_path / "run", tmp_path)["text/html"]
    assert "<script" not in page
    assert "\x1b" not in page


def test_an_interpreter_of_its_own_prints_it(tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run", recapturing([3]))
    command = [sys.executable, "-m", "ca_reports.output.notebook", str(folder), str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    assert json.loads(printed) == mimebundle(folder, tmp_path)
