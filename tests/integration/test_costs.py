"""What findings say was lost, against a stopwatch in the program itself, with Inductor."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# Three causes, each in one step: a branch (5), another batch size (9), a guard of the compiled
# forward (12). A step is timed from the begin of its forward to the end of its backward.
TRAIN = """
import json, time
import torch
from torch._dynamo import compiled_autograd

torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(3))
        self.extra = torch.nn.Linear(16, 16)
        self.slope = 0.1

    def forward(self, x):
        for layer in self.layers:
            x = torch.nn.functional.leaky_relu(layer(x), self.slope)
        return x

net = Net()
body = torch.compile(net, backend="inductor")
for p in net.parameters():
    p.grad = torch.zeros_like(p)
took = []
with compiled_autograd._enable(torch.compile(backend="inductor"), dynamic=False):
    for step in range(16):
        net.zero_grad(set_to_none=False)
        net.slope = 0.2 if step >= 12 else 0.1
        x = torch.randn(8 if step < 9 else 6, 16)
        begin = time.perf_counter()
        y = body(x)
        if step in (5, 6):
            y = net.extra(y).tanh()
        y.square().mean().backward()
        took.append(time.perf_counter() - begin)
print(json.dumps(took))
"""
STEPS = {"CA202": 5, "CA102": 9, "CA401": 12}


@pytest.mark.long
def test_seconds_lost_agree_with_a_stopwatch(
    ca: Runner, run_ca: Runner, work: Path, run_folder: Path
) -> None:
    # GIVEN a program that times its own steps
    (work / "train.py").write_text(TRAIN)
    # WHEN it is recorded, and nothing was compiled by an earlier run
    recorded = run_ca(work / "train.py", env={"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"})
    assert recorded.code == 0, recorded.stderr
    took = json.loads(recorded.stdout)
    document = json.loads(ca("explain-recompiles", run_folder, "--format", "json").stdout)

    # THEN each finding costs what its step took longer than one that hits, and so do all
    hit = median(took)
    lost = {code: took[step] - hit for code, step in STEPS.items()}
    found = {finding["code"]: finding["seconds"] for finding in document["findings"]}
    assert set(found) == set(lost)
    for code, seconds in lost.items():
        assert found[code] == pytest.approx(seconds, rel=0.15, abs=0.1), code
    total = document["summary"]["seconds_lost"]
    assert total == pytest.approx(sum(lost.values()), rel=0.15)
    assert total == pytest.approx(sum(found.values()))
    # AND the phases are told, most of it
    for finding in document["findings"]:
        assert sum(finding["phases"].values()) == pytest.approx(finding["seconds"], rel=0.1)
        assert finding["phases"]["backend"] > finding["phases"]["capture"]
    # AND the whole run is no shorter than what was lost in it
    assert total < document["summary"]["seconds_total"]
