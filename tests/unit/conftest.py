"""A log for tests of what is made of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return sample_run().write(tmp_path / "trace.log")
