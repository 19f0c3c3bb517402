"""CA615 names exactly the lines after which torch's compiled gradients differ from eager's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

SCRIPT = """\
import copy
import json
import sys

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.register_buffer("calls", torch.tensor(1.0))
        self.register_buffer("scale", torch.ones(4))


class Counted(Scaled):
    def forward(self, x):
        self.calls += 1  # counted
        return (self.inner(x) * (self.calls / 5)).square().sum()


class CountedLast(Scaled):
    def forward(self, x):
        y = (self.inner(x) * (self.calls / 5)).square().sum()
        self.calls.add_(1)  # counted last
        return y


class WithoutGradients(Scaled):
    def forward(self, x):
        with torch.no_grad():
            self.calls.add_(1)  # without gradients
        return (self.inner(x) * self.calls.clone() / 5).square().sum()


class Anew(Scaled):
    def forward(self, x):
        self.calls = self.calls + 1
        return (self.inner(x) * (self.calls / 5)).square().sum()


class Statistics(Scaled):
    def forward(self, x):
        y = self.inner(x)
        self.scale.lerp_(y.detach().square().mean(0), 0.1)  # statistics
        return (y * self.scale.rsqrt()).square().sum()


class OnlyCounted(Scaled):
    def forward(self, x):
        self.calls += 1
        return self.inner(x).square().sum()


class Normed(Scaled):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.norm(self.inner(x)).exp().sum()


differ = []
for kind in (Counted, CountedLast, WithoutGradients, Anew, Statistics, OnlyCounted, Normed):
    torch.manual_seed(0)
    model = kind()
    other = copy.deepcopy(model)
    compiled = torch.compile(model, backend=sys.argv[1])
    x = torch.randn(8, 4)
    for _ in range(2):
        compiled(x).backward()
        other(x).backward()
    gradients = [one.inner.weight.grad for one in (model, other)]
    if not torch.allclose(*gradients, rtol=1e-3, atol=1e-4):
        differ.append(kind.__name__)
print("differ:", json.dumps(differ))
"""
LINES = {
    "Counted": "# counted\n",
    "CountedLast": "# counted last\n",
    "WithoutGradients": "# without gradients\n",
    "Statistics": "# statistics\n",
}


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.long)])
def test_the_lines_are_those_of_wrong_gradients(
    warm_ca: Runner, ca: Runner, run_folder: Path, work: Path, backend: str
) -> None:
    script = work / "train.py"
    script.write_text(SCRIPT)
    ran = warm_ca(script, backend)
    (told,) = [line for line in ran.stdout.splitlines() if line.startswith("differ: ")]
    differ = json.loads(told.removeprefix("differ: "))
    assert {"Counted", "CountedLast", "WithoutGradients"} <= set(differ)
    lines = [SCRIPT[: SCRIPT.index(LINES[name])].count("\n") + 1 for name in differ]

    report = json.loads(ca("explain-recompiles", run_folder, "--format", "json").stdout)

    found = [one for one in report["findings"] if one["code"] == "CA615"]
    assert sorted(one["location"]["line"] for one in found) == sorted(lines)
