"""`ca try` from outside: the table, the stop, mistakes, and what it leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

TRAIN = """
import sys
import torch
from torch._dynamo import compiled_autograd

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with compiled_autograd._enable(torch.compile(backend="eager"), dynamic=False):
    for step in range(1_000):
        optimizer.zero_grad()
        model(torch.randn(step % 4 + 2, 4)).square().mean().backward()
        optimizer.step()
        print("step", step, sys.argv[1:])
raise AssertionError("it was not stopped")
"""


@pytest.mark.long
def test_shapes_are_tried_both_ways_and_losses_compared(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(TRAIN)

    outcome = cold_ca("try", "--steps", "8", "-o", "kept", "train.py", "--", "--epochs", "3")

    assert outcome.code == 0, outcome.stderr
    heading, *rows, about_lowering = outcome.stdout.splitlines()
    assert heading.split() == ["backwards", "captures", "recompiles", "lost", "a", "step", "losses"]
    names = [row[:14].strip() for row in rows]
    assert names == ["as is", "dynamic", "static", "lowering", "torch engine"]
    captures = {name: int(row[14:].split()[1]) for name, row in zip(names, rows, strict=True)}
    lowered = captures["lowering"]
    assert about_lowering.startswith(f"Lowered {lowered} of {lowered} captured graphs without ")
    assert captures["as is"] == captures["static"] == captures["torch engine"] > 1
    assert captures["dynamic"] == 1
    assert all(row.split()[-1] in ("equal", "0.001") or "agree to" in row for row in rows[1:])
    # Each ran as the script would, up to the start of its ninth backward.
    assert "step 7 ['--epochs', '3']" in (work / "kept/as-is/output.txt").read_text()
    assert "step 8" not in (work / "kept/dynamic/output.txt").read_text()
    assert {path.name for path in work.iterdir()} == {"train.py", "kept"}


STATEFUL_HOOK = """
import torch
from torch._dynamo import compiled_autograd

class Count:
    calls = 0

    def __call__(self, grad):
        self.calls += 1
        return grad * self.calls

weight = torch.ones(3, requires_grad=True)
weight.register_hook(Count())
with compiled_autograd._enable(torch.compile(backend="eager")):
    for step in range(6):
        weight.grad = None
        (weight * 2).sum().backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
"""


@pytest.mark.long
def test_hooks_that_are_left_to_python_are_not_compiled_again(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(STATEFUL_HOOK)

    outcome = cold_ca("try", "--all", "train.py")

    assert outcome.code == 0, outcome.stderr
    _, *rows, about_lowering = outcome.stdout.splitlines()
    assert about_lowering.startswith("Lowered 1 of 1 captured graph without Dynamo, in ")
    recompiles = {row[:14].strip(): int(row[14:].split()[2]) for row in rows}
    assert len(recompiles) == 6
    assert recompiles["eager hooks"] == 0
    assert recompiles["as is"] == recompiles["torch engine"] > 0
    # The hook ran as often, and in the same order.
    assert all("equal" in row for row in rows[1:])


RANKS = """
import torch
import torch.distributed as dist
from torch._dynamo import compiled_autograd

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
w = torch.ones(4, requires_grad=True)
with compiled_autograd._enable(torch.compile(backend="eager"), dynamic=False):
    for step in range(1_000):
        w.grad = None
        (torch.randn(2, 4) @ w).square().mean().backward()
        dist.all_reduce(w.grad)
        with torch.no_grad():
            w -= 0.01 * w.grad
"""


@pytest.mark.long
def test_every_process_of_a_launcher_stops(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(RANKS)

    outcome = cold_ca("try", "--steps", "4", "torchrun", "--nproc-per-node", "2", "train.py")

    assert outcome.code == 0, outcome.stderr
    _, *rows, about_lowering = outcome.stdout.splitlines()
    assert about_lowering.startswith("Lowered 2 of 2 captured graphs without Dynamo, in ")
    counts = {row[:14].strip(): row[14:].split()[:2] for row in rows}
    assert counts == {name: ["8", "2"] for name in ("as is", "lowering", "torch engine")}
    assert "exit code" not in outcome.stdout
    assert rows[1].split()[-1] == "equal"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "nothing to run"),
        (["missing.py"], "no such script: missing.py"),
        (["missing"], "no such script or command: missing"),
        (["true"], "nothing was recorded"),
        (["--steps", "0", "x.py"], "--steps"),
        (["--stepz", "3", "x.py"], "--steps"),
        (["-"], "stdin can be read only once"),
        (["-o", "full", "x.py"], "full exists"),
        (["x.py"], "nothing was recorded: the script imported no torch._dynamo"),
        (["bad.py"], "and ended with: bad thing"),
    ],
)
def test_mistakes_are_one_line(ca: Runner, work: Path, args: list[str], message: str) -> None:
    (work / "x.py").write_text("")
    (work / "bad.py").write_text("import sys; sys.exit('bad thing')")
    (work / "full").mkdir()
    (work / "full" / "file").write_text("")

    outcome = ca("try", *args)

    assert outcome.code == 2
    assert outcome.stdout == ""
    *progress, last = outcome.stderr.splitlines()
    assert last.startswith("ca: ")
    assert message in last
    assert len(progress) <= 1


WITHOUT = """
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
for _ in range(6):
    model.zero_grad(set_to_none=False)
    model(torch.randn(3, 4)).square().mean().backward()
"""


@pytest.mark.long
def test_that_nothing_was_captured_is_said_and_enable_captures(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(WITHOUT)

    off = cold_ca("try", "--steps", "4", "train.py")
    on = cold_ca("try", "--enable", "--backend", "eager", "--steps", "4", "train.py")

    assert (off.code, on.code) == (2, 0), off.stderr + on.stderr
    assert off.stderr.splitlines()[-1] == (
        "ca: nothing was recorded: the script imported no torch._dynamo, so it compiles nothing: "
        "--enable turns compiled autograd on"
    )
    captures = [row[14:].split()[1] for row in on.stdout.splitlines()[1:4]]
    assert "0" not in captures
    assert "No backward was captured" not in on.stdout


def test_a_backend_without_enable_is_a_mistake(ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(WITHOUT)

    outcome = ca("try", "--backend", "eager", "train.py")

    assert outcome.code == 2
    assert "--backend needs --enable" in outcome.stderr
