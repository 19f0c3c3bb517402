"""`ca run --forward-stacks`: findings at the line of the forward, and nothing else changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Outcome, Runner

HEAD = """
import torch
from torch._dynamo import compiled_autograd

torch.manual_seed(0)
seen = set()

def backend(graph, inputs):
    seen.add(torch.is_anomaly_enabled())

    def run(*args):
        seen.add(torch.is_anomaly_enabled())
        return graph(*args)

    return run

captured = torch.compile(backend=backend)
"""

# One number changes at every step, and a branch is taken at some: rarely, and long after the
# miss before, so that its line is known from a hit that follows it.
TRAIN = (
    HEAD
    + """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 4)
        self.extra = torch.nn.Linear(4, 4)

    def forward(self, x, power, with_extra):
        x = self.body(x).relu() + 1
        if with_extra:  # branch
            x = x + self.extra(x)
        x = x * 2
        return x.pow(power).mean()  # power

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for p in model.parameters():
    p.grad = torch.zeros_like(p)
with compiled_autograd._enable(captured):
    for step in range(56):
        optimizer.zero_grad(set_to_none=False)
        power = 2.0 if step < 54 else float(step)
        loss = model(torch.ones(2, 4), power, step in (50, 51))
        loss.backward()
        print(step, loss.item(), model.body.weight.grad.sum().item())
print("anomaly mode in a backward or its compile:", seen)
"""
)


NONE = "--no-forward-stacks"


def line_of(text: str, source: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def explained(ca: Runner, folder: Path) -> dict[str, Any]:
    outcome = ca("explain-recompiles", folder, "--format", "json")
    assert outcome.code == 0, outcome.stderr
    document: dict[str, Any] = json.loads(outcome.stdout)
    return document


@pytest.fixture
def recorded(ca: Runner, run_folder: Path) -> Any:
    def run(script: Path, *options: str) -> Outcome:
        folder = run_folder.with_name("without") if NONE in options else run_folder
        outcome = ca("run", "--no-report", "-o", folder, *options, script)
        assert outcome.code == 0, outcome.stderr
        return outcome

    return run


@pytest.mark.long
def test_findings_are_at_the_lines_of_the_forward(
    recorded: Any, ca: Runner, work: Path, run_folder: Path
) -> None:
    # GIVEN an eager forward with two causes in it
    script = work / "train.py"
    script.write_text(TRAIN)

    # WHEN it is recorded with and without the option
    outcome = recorded(script, "--forward-stacks")
    plain = recorded(script, NONE)

    # THEN each finding is at the line that decides, with the call of backward beside it
    findings = {found["code"]: found for found in explained(ca, run_folder)["findings"]}
    assert set(findings) == {"CA202", "CA206"}
    call = line_of("loss.backward()", TRAIN)
    for code, mark in (("CA202", "# branch"), ("CA206", "# power")):
        assert findings[code]["location"]["line"] == line_of(mark, TRAIN), findings[code]
        assert findings[code]["location"]["function"] == "forward"
        assert mark in findings[code]["location"]["code"]
        assert findings[code]["noticed_at"]["line"] == call
    # AND the program did and printed what it does without
    assert outcome.stdout == plain.stdout
    assert "anomaly mode in a backward or its compile: {False}" in outcome.stdout
    with_lines, without = explained(ca, run_folder), explained(ca, run_folder.with_name("without"))
    for key in ("backwards", "hits", "captures", "recaptures", "dynamo_recompiles"):
        assert with_lines["summary"][key] == without["summary"][key]
    assert {found["code"] for found in without["findings"]} == set(findings)
    # AND without them the source alone leads there
    for found in without["findings"]:
        assert found["location"] == findings[found["code"]]["location"]
        assert found["noticed_at"]["line"] == call
    # AND what it cost is said
    assert "--forward-stacks noted the lines of 3" in outcome.stderr
    assert "slower in all" in outcome.stderr
    assert "--forward-stacks" not in plain.stderr
    terminal = ca("explain-recompiles", run_folder).stdout
    assert f"train.py:{line_of('# power', TRAIN)}  return x.pow(power).mean()" in terminal
    assert "noticed at: " in terminal


COMPILED = (
    HEAD
    + """
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
for p in model.parameters():
    p.grad = torch.zeros_like(p)
forward = torch.compile(model, backend="aot_eager")
with compiled_autograd._enable(captured):
    for step in range(8):
        model.zero_grad(set_to_none=False)
        loss = forward(torch.ones(3, 4)).square().mean()
        loss.backward()
print(model[0].weight.grad.sum().item())
"""
)

OWN_ANOMALY_MODE = (
    HEAD
    + """
w = torch.ones(3, requires_grad=True)
w.grad = torch.zeros(3)
with compiled_autograd._enable(captured):
    for step in range(6):
        w.grad.zero_()
        with torch.autograd.detect_anomaly(check_nan=True):
            loss = w.exp().pow(2.0 + step // 3).sum()  # line
            loss.backward()
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
try:
    with torch.autograd.detect_anomaly():
        (w - 1).sqrt().mul(0).sum().backward()
except RuntimeError as error:
    print(error)
"""
)


@pytest.mark.long
@pytest.mark.parametrize("script", [COMPILED, OWN_ANOMALY_MODE], ids=["compiled", "own"])
def test_it_changes_nothing(
    script: str, recorded: Any, ca: Runner, work: Path, run_folder: Path
) -> None:
    # GIVEN a compiled forward; and a program with anomaly mode of its own
    path = work / "train.py"
    path.write_text(script)

    # WHEN it is recorded with and without the option
    outcome = recorded(path, "--forward-stacks")
    plain = recorded(path, NONE)

    # THEN it is captured and compiled as often, prints the same, and nothing else is found
    assert outcome.stdout == plain.stdout
    documents = [explained(ca, folder) for folder in (run_folder, run_folder.with_name("without"))]
    noted, without = (
        [(found["code"], found["message"]) for found in document["findings"]]
        for document in documents
    )
    assert noted == without
    for key in ("captures", "hits", "dynamo_recompiles", "unique_graphs", "graph_breaks"):
        assert documents[0]["summary"][key] == documents[1]["summary"][key], key
    for found in documents[0]["findings"]:
        if found["code"] == "CA206":
            assert found["location"]["line"] == line_of("# line", script)


KILLED = TRAIN.replace(
    "        loss.backward()\n",
    "        loss.backward()\n        if step == 2: import os; os.kill(os.getpid(), 9)\n",
)


def test_what_a_killed_run_noted_is_there(ca: Runner, work: Path, run_folder: Path) -> None:
    (work / "train.py").write_text(KILLED.replace("step < 54", "step < 1"))

    outcome = ca("run", "-o", run_folder, "--forward-stacks", work / "train.py")

    assert outcome.code == -9
    (finding,) = explained(ca, run_folder)["findings"]
    assert finding["code"] == "CA206"
    assert "# power" in finding["location"]["code"]
