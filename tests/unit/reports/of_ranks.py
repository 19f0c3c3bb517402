"""Runs of several ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

HIT, STEP, CAPTURE = 0.25, 1.0, 9.0


def job(tmp_path: Path, *, alone: int | None, number: int = 4, ended: int = 10) -> Run:
    """Ranks of ten steps; ``alone`` captures again at step 5, and all wait for it then."""
    for rank in range(number):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run()
        log.ca_capture(0)
        if rank == alone:
            node = {"index": 2, "name": "SinBackward0"}
            log.ca_capture(1, "new_autograd_node", step=5, node=node, reason="?", key_size=7)
        steps = ended if rank == number - 1 else 10
        starts, clock = [], 0.0
        for step in range(steps):
            starts.append(clock)
            clock += STEP + (CAPTURE if alone is not None and step == 5 else 0.0)
        lone = [step == 5 and rank == alone for step in range(steps)]
        log.own(
            "ca_backwards",
            time=START + 1,
            step=list(range(steps)),
            capture=[int(rank == alone and step >= 5) for step in range(steps)],
            start=starts,
            seconds=[HIT + (CAPTURE if found else 0.0) for found in lone],
            miss=[int(step == 0 or lone[step]) for step in range(steps)],
            failed=[0] * steps,
        )
        if steps == 10:
            log.ca_end(START + 60, backwards=10, hits=9 - (rank == alone))
        log.write(tmp_path / f"{rank}.log")
    return ca_reports.load([tmp_path])


def forward_job(tmp_path: Path, *, alone: int | None) -> Run:
    """Three ranks without compiled autograd; ``alone`` is recompiled once more."""
    for rank in range(3):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False, backend=None)
        log.compiled("0/0", 2.0)
        if rank == alone:
            log.compiled("0/1", 1.5, recompile_reason="0/0: n == 1")
        log.ca_end(START + 30, backwards=0, hits=0)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    return ca_reports.load([tmp_path / "job"])
