"""CUDA graphs that torch skips while compiled code runs, in its own words."""

from __future__ import annotations

from pathlib import Path

from tests.engine.recorder.test_compiles import records_of

SCRIPT = """
import torch, torch._dynamo
from ca_engine import install

def cudagraphs_log():
    names = ("cudagraphs_log", "perf_hint_log")  # the second one is torch 2.8's
    return next(filter(None, (getattr(cudagraph_utils, name, None) for name in names)))

with install():
    from torch._inductor import cudagraph_utils

    @torch.compile(backend="eager")
    def f(x):
        return x + 1

    f(torch.ones(3))
    said = "skipping cudagraphs due to "
    for reason in ["mutated inputs (1 instances)", "cpu device (x)"] * 2:
        cudagraph_utils.log_cudagraph_skip_and_bump_counter(said + reason)
    cudagraphs_log().warning("recording cudagraph tree for %s", "symint key 3")
cudagraph_utils.log_cudagraph_skip_and_bump_counter(said + "something else")
assert type(cudagraphs_log()).__name__ == "Logger", cudagraphs_log()
assert torch._dynamo.utils.counters["inductor"]["cudagraph_skips"] == 5
"""


def test_each_reason_is_told_once(tmp_path: Path) -> None:
    records = records_of(tmp_path, SCRIPT).get("ca_cudagraph_skip", [])
    assert [one["reason"] for one in records] == [
        "skipping cudagraphs due to mutated inputs (1 instances)",
        "skipping cudagraphs due to cpu device (x)",
    ]
