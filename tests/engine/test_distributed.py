"""Two local processes over gloo: gradients and captures as under torch's engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

JOB = Path(__file__).with_name("distributed_job.py")


def run_job(wrapper: str, engine: str) -> list[str]:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--standalone", "--nproc-per-node", "2"),
            *(str(JOB), wrapper, engine),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return sorted(line for line in done.stdout.splitlines() if line)


@pytest.mark.long
@pytest.mark.parametrize("wrapper", ["ddp", "fsdp"])
def test_gradients_and_captures_equal_torchs_engine(wrapper: str) -> None:
    ours = run_job(wrapper, "ca")
    assert sum("captures" in line and not line.endswith(" 0") for line in ours) == 2
    assert ours == run_job(wrapper, "torch")
