"""docs/dataframes.md: its code runs, and its tables have the columns that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import ca_reports
from ca_reports.output import dataframes as frames
from tests.unit.logwriter import run_file, sample_run

if TYPE_CHECKING:
    from ca_reports.run.model import Run

TEXT = (Path(__file__).parents[2] / "docs" / "dataframes.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)
OWNER = ["process", "rank", "pid"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    folder = tmp_path / "ca-runs" / "gpt_ragged-20260401-093000"
    sample_run().write(folder / "trace" / "dedicated_log_torch_trace_x.log")
    (folder / "run.json").write_text(json.dumps(run_file()))
    monkeypatch.chdir(tmp_path)
    return ca_reports.load([folder])


def test_the_code_runs(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(BLOCKS) >= 7
    names: dict[str, Any] = {}
    values = []
    for block in BLOCKS:
        *statements, last = re.split(r"\n(?=\S)(?![)\]])", block.strip())
        exec("\n".join(statements), names)
        try:
            values.append(eval(last, names))
        except SyntaxError:  # no expression: nothing that a notebook would show
            exec(last, names)
    assert all(len(value) for value in values)
    first = next(value for value in values if isinstance(value, pd.DataFrame))
    assert first["count"].sum() == 10
    assert capsys.readouterr().out.splitlines()[0] == "captures 3"


def test_the_columns(run: Run) -> None:
    for name, table in frames.tables(run).items():
        section = TEXT.split(f"\n### {name}\n")[1].split("\n###")[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        documented = [
            column for row in rows for column in re.findall(r"`(\w+)`", row.split("|")[1])
        ]
        columns = list(table.columns)
        assert documented == (columns if name == "findings" else columns[len(OWNER) :])
        if name != "findings":
            assert columns[: len(OWNER)] == OWNER
