"""`ca export`: tables in files, or one to a pipe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import ca_reports
from ca_cli.main import main
from ca_reports.output import dataframes as frames

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("format", ["csv", "parquet", "json"])
def test_export_of_all_tables(log: Path, tmp_path: Path, format: str) -> None:
    out = tmp_path / "out"
    assert main(["export", str(log), "--format", format, "-o", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == sorted(
        f"{name}.{format}" for name in frames.tables(ca_reports.load([log]))
    )
    path = out / f"captures.{format}"
    if format == "csv":
        read = pd.read_csv(path)
    elif format == "parquet":
        read = pd.read_parquet(path)
        pd.testing.assert_frame_equal(read, frames.captures(ca_reports.load([log])))
    else:
        read = pd.DataFrame([json.loads(line) for line in path.read_text().splitlines()])
        assert read["time"][0].startswith("2023-11-14T")
    assert read["capture"].tolist() == [0, 1, 2]


def test_one_table_to_stdout(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(log), "--table", "misses"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("process,rank,pid,capture,step")
    assert len(lines) == 4


def test_nothing_is_overwritten(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "thesis.csv"
    mine.write_text("mine")
    assert main(["export", str(log), "--table", "misses", "-o", str(mine)]) == 2
    assert main(["export", str(log), "-o", str(tmp_path)]) == 2
    assert mine.read_text() == "mine"
    assert main(["export", str(log), "--table", "misses", "--format", "parquet"]) == 2
    assert "give the file with -o" in capsys.readouterr().err
