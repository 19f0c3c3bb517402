"""Which runs are compared where none is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_cli import main as main_module
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.written import run_folder as run_folder_of


def test_the_newest_run_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = run_folder_of(tmp_path / "ca-runs" / "train-1", recapturing([3]))
    assert main_module.main(["diff", str(run)]) == 2
    assert "is the newest run: name another one" in capsys.readouterr().err
    assert main_module.main(["diff", str(run), str(run)]) == 0
