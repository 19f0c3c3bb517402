"""Programs with plain `torch.compile`: what a graph break leads to, and what a limit costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.integration.conftest import Runner

    Told = Callable[[str], dict[str, Any]]

MODEL = """
import torch
from torch import nn

def train(step, model):
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(3):
        step(torch.randn(8, 16)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""

IN_A_LOOP = """
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
        self.norms = []

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
            self.norms.append(x.norm().item())
        return x

model = Stack()
train(torch.compile(model, backend="eager"), model)
"""

IN_A_HOOK = """
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
seen = {}

def save(module, inputs, output):
    seen[module] = float(output.abs().mean())

model[1].register_forward_hook(save)
train(torch.compile(model, backend="eager"), model)
"""

IN_A_HELPER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.second(bounded(self.first(x)))

def bounded(x):
    if x.abs().max() > 3:
        return x.clamp(-3, 3)
    return x

model = Net()
train(torch.compile(model, backend="eager"), model)
"""

IN_A_STEP = """
model = nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.01)

@torch.compile(backend="eager")
def train_step(x):
    loss = model(x).square().mean()
    print("loss", loss)
    loss.backward()
    optimizer.step()

for _ in range(3):
    train_step(torch.randn(8, 16))
"""


@pytest.fixture
def told(warm_ca: Runner, ca: Runner, run_folder: Path, work: Path) -> Told:
    """What `ca explain-recompiles` says of a program, as JSON."""

    def run(program: str) -> dict[str, Any]:
        script = work / "breaks.py"
        script.write_text(MODEL + program)
        recorded = warm_ca("--no-report", script)
        assert recorded.code == 0, recorded.stderr
        document: dict[str, Any] = json.loads(
            ca("explain-recompiles", run_folder, "--format", "json").stdout
        )
        return document

    return run


def line_of(program: str, text: str) -> int:
    return (MODEL + program)[: (MODEL + program).index(text)].count("\n") + 1


@pytest.mark.parametrize(
    ("program", "at", "code", "said", "more"),
    [
        (IN_A_LOOP, "self.norms.append", "CA802",
         "leaves all of `forward` uncompiled: it is in a loop", 0),
        (IN_A_HOOK, "seen[module]", "CA802", "splits `save`, a hook, and what calls it", 2),
        (IN_A_HELPER, "if x.abs", "CA801", "splits `bounded` and `forward`, which calls it", 3),
    ],
    ids=["loop", "hook", "helper"],
)  # fmt: skip
def test_a_break_says_where_it_is_and_what_follows(
    told: Told, program: str, at: str, code: str, said: str, more: int
) -> None:
    document = told(program)
    # one finding, at the line that breaks; the function that breaks meets it again by itself
    (finding,) = document["findings"]
    assert (finding["code"], finding["count"]) == (code, 2 if more else 1)
    assert finding["location"]["line"] == line_of(program, at)
    assert said in finding["message"]
    # what is compiled because of it, and its seconds
    (found,) = document["graph_breaks"]
    assert found["in_loop"] is ("a loop" in said)
    assert (f"({more} more functions to compile)" in finding["message"]) is bool(more)
    assert bool(finding["seconds"]) is bool(more)


def test_a_break_within_a_training_step_is_told_from_those_of_torch_s_optimizer(
    told: Told,
) -> None:
    findings = {found["code"]: found for found in told(IN_A_STEP)["findings"]}
    printed, optimizer = findings["CA803"], findings["CA805"]
    assert "splits `train_step`, in the middle of a training step" in printed["message"]
    assert printed["location"]["line"] == line_of(IN_A_STEP, "print(")
    # nobody can change torch's optimizer
    assert (printed["severity"], optimizer["severity"]) == ("warning", "info")
    assert optimizer["location"]["line"] == line_of(IN_A_STEP, "optimizer.step()\n\nfor")


SERVICE = """
import torch

@torch.compile(backend="eager", dynamic=False)
def answer(x, temperature):
    for _ in range(20):
        x = x.sin() / temperature
    return x

with torch.no_grad():
    for request in range(60):
        answer(torch.ones(4), 1.0 + request // 5)
"""


def test_a_limit_says_how_long_calls_take_where_nothing_names_a_step(told: Told) -> None:
    (limit,) = told(SERVICE)["limits"]
    assert (limit["limit"], limit["step"], limit["per"]) == ("recompile_limit", None, "call")
    assert 0 < limit["step_before"] < 1
    assert 0 < limit["step_after"] < 1


def test_a_program_that_ends_before_it_calls_what_it_compiles(ca: Runner, work: Path) -> None:
    """Nothing is said of backwards, which nobody asked to compile."""
    script = work / "ends.py"
    script.write_text(f"{MODEL}\nmodel = torch.compile(nn.Linear(4, 4))\nraise ValueError\n")

    outcome = ca("run", "--no-report", script)

    assert outcome.code == 1
    assert (
        "Nothing was compiled before the program ended with ValueError.\n"
        "The program ended with ValueError before it called a compiled function.\n"
    ) in outcome.stderr
    assert "0 backwards" not in outcome.stderr


WHOLE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.second(bounded(self.first(x)))

def bounded(x):
    if x.abs().max() > 3:
        x = x.clamp(-3, 3)
    return x

model = Net()
compiled = torch.compile(model, backend="eager", fullgraph=True)
"""


@pytest.mark.parametrize(
    ("call", "said", "code", "severity"),
    [
        ("train(compiled, model)", "in `bounded` ends the compile of `forward`", 1, "error"),
        (
            "try:\n    train(compiled, model)\nexcept Exception:\n    train(model, model)",
            "ends the compile of `forward`",
            0,
            "warning",
        ),
    ],
    ids=["ended", "caught"],
)
def test_a_break_that_fullgraph_makes_an_error_is_found_with_its_patch(
    warm_ca: Runner,
    ca: Runner,
    run_folder: Path,
    work: Path,
    call: str,
    said: str,
    code: int,
    severity: str,
) -> None:
    script = work / "whole.py"
    program = f"{WHOLE}\n{call}\n"
    script.write_text(MODEL + program)

    assert warm_ca("--no-report", script).code == code

    document = json.loads(ca("explain-recompiles", run_folder, "--format", "json").stdout)
    (finding,) = document["findings"]
    assert (finding["code"], finding["severity"]) == ("CA801", severity)
    assert finding["location"]["line"] == line_of(program, "if x.abs")
    assert f"{said}: with `fullgraph=True` a graph break is an error" in finding["message"]
    (broken,) = document["graph_breaks"]
    assert broken["is_error"]
    fixed = ca("fix", run_folder).stdout
    assert "+    x = torch.where(x.abs().max() > 3, x.clamp(-3, 3), x)" in fixed
