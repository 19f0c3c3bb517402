"""Two local processes over gloo: gradients and captured graphs as under torch's engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ca_engine.compat import versions

JOB = Path(__file__).with_name("distributed_job.py")


def run_job(
    wrapper: str,
    engine: str,
    folder: Path,
    processes: int = 2,
    *,
    backend: str = "aot_eager",
    lowering: str = "",
) -> tuple[list[str], list[Any]]:
    """The lines that the ranks printed, and for each rank the graphs that it captured."""
    folder.mkdir()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--standalone", "--nproc-per-node", str(processes)),
            *(str(JOB), wrapper, engine, str(folder), backend),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "CA_LOWERING": lowering,
            "PYTHONPATH": os.pathsep.join([str(JOB.parents[2]), *sys.path]),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = sorted(line for line in done.stdout.splitlines() if line)
    return lines, [json.loads((folder / f"{rank}.json").read_text()) for rank in range(processes)]


@pytest.mark.long
@pytest.mark.parametrize("wrapper", ["ddp", "fsdp"])
def test_gradients_and_graphs_equal_torchs_engine(wrapper: str, tmp_path: Path) -> None:
    if wrapper == "fsdp" and versions.torch_version() < (2, 12):
        pytest.skip("torch 2.11 itself refuses FSDP2's final callback in a captured graph")
    ours, our_graphs = run_job(wrapper, "ca", tmp_path / "ca")
    assert sum("captures" in line and not line.endswith(" 0") for line in ours) == 2
    for graphs in our_graphs:
        # Both communicate in hooks.
        assert any(row[1] == "call_hook" for graph in graphs for row in graph)
    theirs, their_graphs = run_job(wrapper, "torch", tmp_path / "torch")
    assert ours == theirs
    assert our_graphs == their_graphs


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("wrapper", ["ddp", "fsdp"])
def test_lowering_equals_torchs_engine(
    wrapper: str, backend: str, processes: int, tmp_path: Path
) -> None:
    """Both communicate in hooks; behind AOTAutograd graphs with those are refused."""
    if wrapper == "fsdp" and versions.torch_version() < (2, 12):
        pytest.skip("torch 2.11 itself refuses FSDP2's final callback in a captured graph")
    theirs = run_job(wrapper, "torch", tmp_path / "torch", processes, backend=backend)
    lowered = run_job(wrapper, "ca", tmp_path / "ca", processes, backend=backend, lowering="1")
    assert lowered == theirs
    for rank in range(processes):
        ways = set((tmp_path / "ca" / f"{rank}.ways").read_text().split())
        assert ways <= {"lowered", "python_hook"}
        assert ("python_hook" in ways) == (backend != "eager")
