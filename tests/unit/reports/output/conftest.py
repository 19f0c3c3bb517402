"""Runs that every format has to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.gates.made import nasty, sample

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


@pytest.fixture(params=["sample", "nasty"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return sample(tmp_path) if request.param == "sample" else nasty(tmp_path)
