"""The programs of the engine's tests once more, lowered: rows, results, what is left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ca_engine.lowering.modes import Mode
from tests.engine.conftest import COMPARE_LOWERING

ENGINE = Path(__file__).parents[1]
PROGRAMS = (
    "test_against_torch.py",
    "test_operators_against_torch.py",
    "test_functions_against_torch.py",
    "test_aot_regions_against_torch.py",
    "test_regions_and_hooks_against_torch.py",
    "test_special_against_torch.py",
)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", [Mode.ON, Mode.L1])
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_no_program_tells_lowering_from_the_ordinary_way(
    backend: str, mode: Mode, tmp_path: Path
) -> None:
    """Graphs are compared in front of inductor. Where torch itself fails, lowering does too."""
    ways = tmp_path / "ways"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "engine_equals_torch or operators or modules",
        ]
        + [str(ENGINE / name) for name in PROGRAMS],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {COMPARE_LOWERING: backend}
        | {f"{COMPARE_LOWERING}_WAYS": str(ways), f"{COMPARE_LOWERING}_MODE": mode.value},
    )
    assert done.returncode == 0, done.stdout[-5000:]
    counts = Counter(ways.read_text().split())
    assert counts["lowered"] > 150
    assert not counts["error"]
