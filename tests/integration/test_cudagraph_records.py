"""torch's own writer of the records about CUDA graphs, and what is read of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# What `torch._inductor.cudagraph_trees` does around a recording; the recording needs a GPU.
SCRIPT = """
import time
import torch, torch._dynamo
from torch._dynamo.utils import dynamo_timed
from torch._guards import CompileId

torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
for _ in range(4):
    with dynamo_timed(
        "CUDAGraphNode.record",
        log_pt2_compile_event=True,
        compile_id=CompileId(frame_id=0, frame_compile_id=0),
        is_backward=False,
        dynamo_compile_column_us="runtime_cudagraphify_time_us",
    ):
        time.sleep(0.02)
"""


def test_recordings_are_counted_and_priced(
    work: Path, warm_python: Runner, cold_ca: Runner
) -> None:
    (work / "train.py").write_text(SCRIPT)
    done = warm_python("train.py", env={"TORCH_TRACE": str(work / "trace")})
    assert done.code == 0, done.stderr
    document = json.loads(cold_ca("explain-recompiles", "trace", "--format", "json").stdout)
    (found,) = document["findings"]
    assert (found["code"], found["count"]) == ("CA901", 3)
    assert 0.06 <= found["seconds"] < 2
    assert found["location"]["file"].endswith("train.py")
    assert document["damage"] == []
