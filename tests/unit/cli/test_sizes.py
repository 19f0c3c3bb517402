"""``ca sizes``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_folder(tmp_path / "ca-runs" / "train-0", automatic({60: 40, 250: 5}))


def test_plans_are_for_the_steps_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sizes", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["functions"][0]["steps"] == 46
    assert main(["sizes", "ca-runs/train-0", "--steps", "1000", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["functions"][0]["steps"] == 1000


def test_a_picture_goes_into_a_file(tmp_path: Path) -> None:
    assert main(["sizes", "--format", "svg", "-o", "sizes.svg"]) == 0
    assert (tmp_path / "sizes.svg").read_text().startswith('<svg data-generator="ca sizes"')


def test_batch_sizes_that_never_vary_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sizes", "--batch-sizes", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["functions"] == []
