"""CA602's hazard beside eager's gradients: it is recorded where they differ, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.docs.guide import ROOT
from tests.engine.recorder import autocast_cases
from tests.engine.recorder.test_recorder import bare_environment, of_our_engine

# By torch's own engine the cases take minutes, and torch 2.9 brought the option that they set.
pytestmark = of_our_engine

FEW = [
    "Plain, bf16 outside",
    "Router, bf16 outside",
    "Router, bf16 within",
    "CheckpointedRouter, bf16 within",
    "CustomFunction, bf16 outside",
    "Checkpointed, off within, as an option",
]


def run(folder: Path, engine: str, *chosen: str, timeout: float = 240) -> dict[str, dict[str, Any]]:
    done = warm.python().run(
        [sys.executable, autocast_cases.__file__, engine, *chosen],
        env=bare_environment(folder / "trace"),
        cwd=folder,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = map(json.loads, filter(None, done.stdout.splitlines()))
    return {one["case"]: one for one in found}


@pytest.mark.long
def test_a_part_in_full_precision_is_told_where_its_gradients_differ(tmp_path: Path) -> None:
    found = run(tmp_path, "ca", *FEW)

    assert {name: one["differs"] for name, one in found.items()} == dict(
        zip(FEW, (False, True, False, True, False, True), strict=True)
    )
    assert all(bool(one["said"]) is one["differs"] for one in found.values()), found
    (outside,) = found["Router, bf16 outside"]["said"]
    assert (outside["then"], outside["now"]) == ({"cpu": "bfloat16"}, {})
    assert [line.rpartition("# ")[2] for line in outside["lines"]] == ["kept"]
    (within,) = found["CheckpointedRouter, bf16 within"]["said"]
    assert within["then"] == within["now"] == {"cpu": "bfloat16"}
    assert [line.rpartition("# ")[2] for line in within["lines"]] == ["kept"]


@pytest.mark.long
@pytest.mark.timeout(1900)
@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_every_case_beside_eager(tmp_path: Path, engine: str) -> None:
    # 80 cases, each compiled twice and up to two times more: minutes on an idle machine.
    found = run(tmp_path, engine, "remedies", timeout=1800)

    assert len(found) == len(autocast_cases.MODELS) * len(autocast_cases.MODES)
    wrong = [one for one in found.values() if bool(one["said"]) is not one["differs"]]
    assert wrong == []
    # What CA602 advises gives eager's gradients, whatever the case is.
    left = {name: one["remedies"] for name, one in found.items() if one["differs"]}
    assert all(one[autocast_cases.OFF] == 0.0 for one in left.values()), left
    assert _table() == [_shown(one["difference"]) for one in found.values()]


def _shown(difference: float | None) -> str:
    return "raises" if difference is None else "=" if difference == 0.0 else "differs"


def _table() -> list[str]:
    """Return the cells of the guide's table, a figure as "differs": it is that of one machine."""
    lines = (ROOT / "docs/autocast.md").read_text("utf-8").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("| forward; backward"))
    rows = lines[begin + 2 : begin + 2 + len(autocast_cases.MODELS)]
    cells = [cell.strip() for row in rows for cell in row.strip("|").split("|")[1:]]
    return [cell if cell in ("=", "raises") else "differs" for cell in cells]
