"""`ca sizes` of a real run, and short runs of its plans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

TRAIN = """
import random
import torch

random.seed(0)
torch.set_num_threads(1)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, 16)

    def forward(self, batch, mask):
        return (self.layer(batch["x"]).tanh().sum(-1) * mask).sum() / mask.sum()

net = torch.compile(Net(), backend="eager", dynamic=False)
for step in range(80):
    length = random.choice([10, 12, 30])
    net({"x": torch.randn(4, length, 16)}, torch.ones(4, length)).backward()
"""


@pytest.mark.long
def test_plans_are_reckoned_and_tried(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(TRAIN)
    assert cold_ca("run", "--quiet", "-o", "run", "train.py").code == 0

    outcome = cold_ca("sizes", "run", "--measure", "--yes", "--steps", "30", "--format", "json")

    assert outcome.code == 0, outcome.stderr
    (function,) = json.loads(outcome.stdout)["functions"]
    (argument,) = function["arguments"]
    assert (argument["name"], argument["also"]) == ("batch['x']", ["mask[1]"])
    assert {one["size"] for one in argument["histogram"]} == {10, 12, 30}
    assert sum(one["calls"] for one in argument["histogram"]) == 80
    assert function["setting"] == "static"
    compiles = {one["kind"]: one["compiles"] for one in function["tried"]}
    assert {one["error"] for one in function["tried"]} == {None}
    assert compiles["as_is"] == 3
    # What was tried compiled as often as the plan says.
    reckoned = {plan["name"]: plan["compiles"] for plan in function["plans"]}
    assert all(one["compiles"] == reckoned[one["name"]] for one in function["tried"])
    assert {one["steps"] for one in function["tried"]} == {30}
    assert {path.name for path in work.iterdir()} == {"train.py", "run"}


SERVER = """
import random
import torch

random.seed(0)
torch.set_num_threads(1)
torch._dynamo.config.recompile_limit = 4
layer = torch.nn.Linear(16, 16)

@torch.compile(backend="eager", dynamic=False)
def answer(requests):
    return layer(requests).tanh().sum()

with torch.no_grad():
    for _ in range(60):
        answer(torch.randn(random.choice([1, 2, 3, 5, 8, 13]), 16))
"""


@pytest.mark.long
def test_a_server_past_its_limit_is_counted_and_measured_by_its_calls(
    cold_ca: Runner, work: Path
) -> None:
    (work / "serve.py").write_text(SERVER)
    assert cold_ca("run", "--quiet", "-o", "run", "serve.py").code == 0

    outcome = cold_ca(
        "sizes", "run", "--batch-sizes", "--measure", "--yes", "--steps", "40", "--format", "json"
    )

    assert outcome.code == 0, outcome.stderr
    (function,) = json.loads(outcome.stdout)["functions"]
    (argument,) = function["arguments"]
    assert (argument["name"], argument["dimension"]) == ("requests", 0)
    assert {one["size"] for one in argument["histogram"]} == {1, 2, 3, 5, 8, 13}
    assert sum(one["calls"] for one in argument["histogram"]) == 60
    assert function["eager_calls"] > 0
    assert {one["error"] for one in function["tried"]} == {None}
    assert {one["steps"] for one in function["tried"]} == {40}
    assert {one["kind"]: one["compiles"] for one in function["tried"]}["as_is"] == 4
