"""Two ranks that average gradients, each with an inductor process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch.distributed as dist

REPOSITORY = Path(__file__).parents[4]


@pytest.mark.long
@pytest.mark.skipif(not dist.is_available(), reason="torch without torch.distributed")
@pytest.mark.timeout(600)
def test_ranks_that_take_over_at_different_steps_do_not_wait_for_each_other(
    tmp_path: Path,
) -> None:
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.engine.lowering.background.rank", str(tmp_path), rank],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    try:
        first, second = (json.loads(rank.communicate(timeout=550)[0]) for rank in ranks)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    # Each step's gradients were close to those of eager mode: the ranks have checked that.
    assert first["steps"] == second["steps"]
    assert first["took_over"] == second["took_over"]
    assert second["stopped"]
    assert first["took_over"][0] < first["took_over"][1]
