"""`ca fix` from outside: the diff, the proof, what it writes and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

TRAIN = """\
import torch
from torch._dynamo import compiled_autograd
from data import loader

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with compiled_autograd._enable(torch.compile(backend="eager"), dynamic=False):
    for epoch in range(3):
        for (inputs,) in loader:
            optimizer.zero_grad()
            model(inputs).square().mean().backward()
            optimizer.step()
"""
DATA = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(  # in order
    TensorDataset(torch.arange(44.0).view(11, 4)),
    batch_size=4,
)
"""


def git(folder: Path, *arguments: str) -> None:
    known = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *known, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.long
def test_a_patch_is_proven_then_applied(ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(TRAIN)
    (work / "data.py").write_text(DATA)
    os.utime(work / "data.py", (1, 1))
    os.utime(work / "train.py", (1, 1))
    assert ca("run", "--quiet", "--no-report", "-o", "before", "train.py").code == 0

    outcome = ca("fix", "before", "--code", "CA101", "--verify", "--yes", "--format", "json")

    assert outcome.code == 0, outcome.stderr
    assert "`python train.py`" in outcome.stderr
    (fix,) = json.loads(outcome.stdout)["fixes"]
    # What changes no loss comes first.
    assert fix["what"].startswith("dynamic=True")
    assert (fix["proof"]["proven"], fix["proof"]["losses"]) == (True, "equal")
    (dropped,) = fix["alternatives"]
    proof = dropped["proof"]
    assert (proof["proven"], proof["losses"], proof["differs_from"]) == (True, "intended", 2)
    assert proof["before"]["captures"] == 2
    assert proof["after"]["captures"] == 1
    assert proof["before"]["losses"][:2] == proof["after"]["losses"][:2]
    # Neither the proof nor the question wrote anything here.
    assert (work / "data.py").read_text() == DATA
    assert not (work / "data.py.orig").exists()

    git(work, "init", "-q")
    (work / "fix.patch").write_text(dropped["diff"])
    git(work, "apply", "--check", "fix.patch")
    git(work, "add", "data.py")
    dirty = ca("fix", "before", "--apply")
    assert dirty.code == 2
    assert "data.py has changes that are not committed" in dirty.stderr
    git(work, "commit", "-qm", "data")

    applied = ca("fix", "before", "--apply")
    assert applied.code == 0, applied.stderr
    assert (work / "data.py.orig").read_text() == DATA
    assert (work / "data.py").read_text() == DATA.replace(
        "    batch_size=4,\n", "    batch_size=4,\n    drop_last=True,\n"
    )
    # The run is now one of other sources.
    again = ca("fix", "before", "--code", "CA101")
    assert again.stdout == ""
    assert "data.py changed since the run: run it again" in again.stderr


@pytest.mark.long
def test_a_run_of_torchrun_is_proven_by_torchrun(ca: Runner, work: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_scripts" / "ca101_last_batch_bad.py"
    (work / "train.py").write_text(sample.read_text())
    launched = ["torchrun", "--standalone", "--nproc-per-node=1", "train.py"]
    assert ca("run", "--quiet", "--no-report", "-o", "before", *launched).code == 0

    outcome = ca("fix", "before", "--verify", "--yes", "--format", "json")

    assert outcome.code == 0, outcome.stderr
    assert "`torchrun --standalone --nproc-per-node=1 train.py`" in outcome.stderr
    (fix,) = json.loads(outcome.stdout)["fixes"]
    assert fix["proof"]["before"]["captures"] == 2
    assert fix["proof"]["after"]["captures"] == 1
