"""DDP and FSDP2 over NCCL (gloo on the CPU): gradients and graphs as under torch's engine."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from tests.engine.test_distributed import run_job
from tests.gpu.result import LeftOutError

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

# The last line of a traceback.
_ERROR = re.compile(r"^(?:\[rank\d+\]: ?)?((?:\w+\.)*\w*(?:Error|Unsupported): .*)$", re.MULTILINE)


def run(settings: Settings, result: Result) -> None:
    if not dist.is_available():
        raise LeftOutError("this torch has no torch.distributed")
    if settings.is_cuda and not dist.is_nccl_available():
        raise LeftOutError("this torch has no NCCL")
    processes = min(2, torch.cuda.device_count()) if settings.is_cuda else 1
    os.environ["CA_TEST_DEVICE"] = settings.device
    result.facts["processes"] = str(processes)
    for wrapper in ("ddp",) if not settings.is_cuda else ("ddp", "fsdp"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                theirs, their_graphs = run_job(wrapper, "torch", Path(folder) / "torch", processes)
            except AssertionError as failed:
                # Where torch itself cannot, there is nothing to compare with.
                errors = _ERROR.findall(str(failed))
                reason = errors[0] if errors else str(failed)[-200:]
                result.leave_out(wrapper, f"under torch's engine: {reason}"[:300])
                continue
            ours, graphs = run_job(wrapper, "ca", Path(folder) / "ca", processes)
        captured = sum(len(of_rank) for of_rank in graphs)
        result.check(f"{wrapper}: gradients", ours == theirs, f"{len(ours)} lines")
        result.check(f"{wrapper}: graphs", graphs == their_graphs, f"{captured} captured")
        result.check(f"{wrapper}: something was captured", captured > 0)
    if not settings.is_cuda:
        result.leave_out("fsdp", "make test-all runs it on the CPU")
