"""What ends a collective that waits: texts of torch 2.13.0's gloo, and of NCCL's watchdog."""

from __future__ import annotations

import pytest

from ca_reports.torchlib.collectives import is_timeout

GLOO = (
    "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] "
    "Timed out waiting 6000ms for {} operation to complete"
)
NCCL = (
    "torch.distributed.DistBackendError: [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=32, NumelOut=32, Timeout(ms)=600000) ran for "
    "600024 milliseconds before timing out."
)


@pytest.mark.parametrize("text", [GLOO.format("recv"), GLOO.format("send"), NCCL])
def test_a_collective_that_waited_too_long(text: str) -> None:
    assert is_timeout(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RuntimeError: [gloo/transport/tcp/pair.cc:547] Connection closed by peer [127.0.0.1]:1",
        "TimeoutError: waited too long",
    ],
)
def test_another_end(text: str) -> None:
    assert not is_timeout(text)
