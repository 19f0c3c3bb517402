"""``ca sizes --measure``: what it asks, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_log_without_a_command_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = automatic({60: 40, 250: 5}).write(tmp_path / "trace.log")
    assert main(["sizes", str(log), "--measure", "--yes"]) == 2
    assert "--measure needs one run of `ca run`" in capsys.readouterr().err


def test_a_run_without_sizes_has_nothing_to_try(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_folder(tmp_path / "run", automatic({32: 3}))
    assert main(["sizes", "run", "--measure", "--yes"]) == 2
    assert "no plan to try" in capsys.readouterr().err
