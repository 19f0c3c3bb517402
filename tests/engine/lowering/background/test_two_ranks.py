"""Two ranks that average gradients, each with graphs that inductor compiles in the background."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist

from ca_engine.compat import versions

REPOSITORY = Path(__file__).parents[4]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not dist.is_available(), reason="torch without torch.distributed"),
    pytest.mark.timeout(1800),
]


def told_by_ranks(module: str, folder: Path, seconds: float) -> list[dict[str, Any]]:
    """What each of two ranks printed."""
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", f"tests.engine.lowering.background.{module}", folder, rank],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for rank in ("0", "1")
    ]
    try:
        return [json.loads(rank.communicate(timeout=seconds)[0]) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()


@pytest.mark.skipif(
    not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
)
def test_forwards_under_ddp_take_over_at_steps_of_each_ranks_own(tmp_path: Path) -> None:
    """Averaged is what `aot_eager` gives on a rank, and inductor from its own step on."""
    first, second = told_by_ranks("ddp_rank", tmp_path, 1700)
    assert first["wrong"] == second["wrong"] == []
    assert first["swapped_at"] != second["swapped_at"]


def test_ranks_that_take_over_at_different_steps_do_not_wait_for_each_other(
    tmp_path: Path,
) -> None:
    first, second = told_by_ranks("rank", tmp_path, 550)
    # Each step's gradients were close to those of eager mode: the ranks have checked that.
    assert first["steps"] == second["steps"]
    assert first["took_over"] == second["took_over"]
    assert second["stopped"]
    assert first["took_over"][0] < first["took_over"][1]
