"""A recording from before secrets were left out is read without them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_cli.main import main
from tests.unit.logwriter import START, LogWriter, run_file

if TYPE_CHECKING:
    from pathlib import Path

ARGUMENTS = ["--password=hunter2", "--token", "hunter2", "https://me:hunter2@host/data", "--lr=1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log = LogWriter()
    log.ca_run(argv=["train.py", *ARGUMENTS])
    log.ca_capture(0)
    log.ca_end(START + 1, 1, 0, error="ValueError", error_text="ValueError: DB_PASSWORD=hunter2")
    run = tmp_path / "run"
    log.write(run / "trace" / "dedicated_log_torch_trace_x.log")
    described = run_file(command=["ca", "run", "train.py", *ARGUMENTS], cwd=str(tmp_path))
    (run / "run.json").write_text(json.dumps(described))
    return run


def test_the_model_has_none(folder: Path) -> None:
    run = ca_reports.load([folder])
    told = ["--password=[redacted]", "--token", "[redacted]", "https://[redacted]@host/data"]
    assert list(run.recorded[0].command) == ["ca", "run", "train.py", *told, "--lr=1"]
    assert list(run.processes[0].argv) == ["train.py", *told, "--lr=1"]
    assert run.processes[0].end is not None
    assert run.processes[0].end.error_text == "ValueError: DB_PASSWORD=[redacted]"


@pytest.mark.parametrize("format", ["terminal", "json", "markdown", "sarif", "junit", "github"])
def test_no_output_has_one(folder: Path, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = "check" if format == "junit" else "explain-recompiles"
    main([command, str(folder), "--format", format])
    assert "hunter2" not in capsys.readouterr().out


def test_no_page_has_one(folder: Path) -> None:
    assert main(["report", str(folder)]) == 0
    assert "hunter2" not in (folder / "report.html").read_text("utf-8")


def test_a_url_is_shown_without_its_password(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-recompiles", "http://me:hunter2@127.0.0.1:9/none.log"]) == 2
    shown = capsys.readouterr()
    assert "hunter2" not in shown.out + shown.err
    assert "[redacted]@127.0.0.1" in shown.err
