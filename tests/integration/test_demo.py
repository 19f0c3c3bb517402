"""The first minute: `make demo` finds a cause in a forward, one in a backward, and proves a fix."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

ROWS = 24


def commands() -> list[list[str]]:
    """Return the arguments of `ca` in the recipe of `make demo`, in order."""
    recipe = (ROOT / "Makefile").read_text().partition("\ndemo:")[2].partition("\n\n")[0]
    return [shlex.split(line)[1:] for line in re.findall(r"^\t(.*)$", recipe, re.M)]


@pytest.fixture
def samples(work: Path) -> Path:
    folder = work / "sample_scripts"
    folder.mkdir()
    shutil.copy(ROOT / "sample_scripts" / "demo.py", folder)
    return folder


def test_both_causes_are_found_and_fit_a_screen(samples: Path, ca: Runner) -> None:
    run, _ = commands()
    outcome = ca(*run)
    assert outcome.code == 0, outcome.stderr
    shown = outcome.stderr[outcome.stderr.index("ca ──") :].splitlines()
    assert sum(-(-len(line) // 80) or 1 for line in shown) <= ROWS
    found = json.loads(ca("explain-recompiles", "--format", "json").stdout)["findings"]
    lines = {one["code"]: one["location"]["code"].strip() for one in found}
    assert lines == {
        "CA704": "model.temperature = 1.0 - epoch / 10",
        "CA206": "loss = losses.pow(focus).mean()",
    }


@pytest.mark.long
def test_a_fix_is_proven(samples: Path, cold_ca: Runner) -> None:
    run, fix = commands()
    assert cold_ca(*run).code == 0
    outcome = cold_ca(*fix)
    # The other cause was not asked about.
    assert outcome.code == 0, outcome.stderr
    assert "still there" not in outcome.stderr
    assert "captures 3 → 1" in outcome.stdout
    # A power by a tensor rounds otherwise than one by a number.
    assert "weights of 18 backwards equal within float noise" in outcome.stdout
